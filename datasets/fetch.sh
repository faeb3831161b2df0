#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches data sets from Debian packages, without root and without an account:
#   datasets/fetch.sh [NAME...]      all when no name is given
# A package that is missing or ships other bytes is named and its data set is left out (exit code 1).
set -eu
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

value() { sed -n "s/^$1 = \"\(.*\)\"\$/\1/p" "$2"; }

matches() { [ -f "$1" ] && [ "$(sha256sum < "$1")" = "$2  -" ]; }

# Unpacks a package once into $work/PACKAGE.
unpack() {
  [ -d "$work/$1" ] && return 0
  mkdir "$work/$1.deb"
  (cd "$work/$1.deb" && apt-get -qq download "$1") > "$work/log" 2>&1 || return 1
  dpkg-deb -x "$work/$1.deb"/*.deb "$work/$1.part" && mv "$work/$1.part" "$work/$1"
}

skip() {
  echo "$name: left out: $1" >&2
  failures=$((failures + 1))
}

failures=0
[ $# -gt 0 ] || set -- */
for name in "$@"; do
  name=${name%/}
  toml=$here/$name/dataset.toml
  if [ ! -f "$toml" ]; then
    skip "no such data set; known: $(echo */ | tr -d /)"
    continue
  fi
  file=$here/$name/$(value file "$toml")
  sum=$(value sha256 "$toml")
  package=$(value package "$toml")
  source=$work/$package$(value path "$toml")
  if matches "$file" "$sum"; then
    echo "$name: is there"
    continue
  fi
  if ! unpack "$package"; then
    skip "package $package cannot be downloaded ($(tail -n 1 "$work/log")); try apt-get update"
    continue
  fi
  case $source in
    *.bz2) [ ! -f "$source" ] || bunzip2 -kf "$source"; source=${source%.bz2} ;;
  esac
  if ! matches "$source" "$sum"; then
    skip "package $package ships other bytes here, expected sha256 $sum"
    continue
  fi
  cp "$source" "$file.part" && mv "$file.part" "$file"
  echo "$name: fetched from package $package"
done
[ "$failures" -eq 0 ]
