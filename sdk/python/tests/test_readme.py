"""Runs the examples of the README against a running service."""

from __future__ import annotations

import doctest
import os
import tempfile
import unittest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


class ReadmeTest(unittest.TestCase):
    def test_examples(self) -> None:
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # an example writes a file
            try:
                flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
                failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=flags)
            finally:
                os.chdir(before)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)


if __name__ == "__main__":
    unittest.main()
