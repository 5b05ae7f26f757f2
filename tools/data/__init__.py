"""Make the book, benchmarks and champion of the package, and the values of the atlas."""
