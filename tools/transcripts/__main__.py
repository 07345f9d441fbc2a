"""Write what each lesson shows in words: ``python -m tools.transcripts [03-score ...]``; so does ``make refresh``.

A test compares the transcripts with what the lessons show. Whoever betters a word or a picture writes them anew and
reads the difference.
"""

import os
import sys

from tools.transcripts.lessons import TRANSCRIPTS, notebooks, transcript


def main() -> None:
    """The transcripts of these notebooks, or of all."""
    os.environ["KSCHEDLAB_PROGRESS"] = "off"  # nobody has solved anything
    for path in notebooks():
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            stored = TRANSCRIPTS / f"{path.stem}.txt"
            saved, fresh = stored.read_text(encoding="utf-8") if stored.exists() else "", transcript(path)
            stored.write_text(fresh, encoding="utf-8")
            print(f"{stored.name}: {'unchanged' if fresh == saved else 'written'}")


if __name__ == "__main__":
    main()
