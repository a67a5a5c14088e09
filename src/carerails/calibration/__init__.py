"""Calibration: operating points from labelled data, with limits, or the reason why the data give none."""
