"""Benchmarks: what is printed are ratios measured side by side, medians first."""
