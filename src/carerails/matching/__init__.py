"""Many regexes on one text at once, and the rules that keep a regex safe everywhere."""

from carerails.matching.check import Problem, check_regex
from carerails.matching.literals import required_literals
from carerails.matching.matcher import Matcher
from carerails.matching.scan import Scan
from carerails.matching.tree import arms

__all__ = ["Matcher", "Problem", "Scan", "arms", "check_regex", "required_literals"]
