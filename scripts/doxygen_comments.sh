#!/usr/bin/env bash
# Filters a header for Doxygen: comments that stand on lines of their own in front of something describe it, and
# those behind a member describe that member. The head comment describes the file.
exec awk '
  FNR == 1 && /^\/\// { print "/// \\file"; head = 1 }
  /^[ \t]*\/\/( |$)/ { sub(/\/\//, "///"); print; next }
  { head = 0; if ($0 ~ /^[ \t]*[A-Za-z}].*[;,{] *\/\/ /) sub(/\/\/ /, "///< "); print }
' "$1"
