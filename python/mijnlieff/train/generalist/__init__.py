"""One network for many boards, graded by exact play on boards that it has never seen.

`mijnlieff.train.Boards` names the boards and holds some out.
"""
