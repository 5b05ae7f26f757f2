"""What several parts of the package use and none of its users needs."""
