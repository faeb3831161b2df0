#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes one small valid file per variant of the text formats and headers: DIR/<format>/<name>.
# The fuzzer finds the rest; binary formats start from the headers that lead to their bodies.
set -eu
dir=${1:?usage: make_corpus.sh DIR}
mkdir -p "$dir/bin" "$dir/npy" "$dir/npz" "$dir/obj" "$dir/pcd" "$dir/ply" "$dir/txt" "$dir/csv" \
  "$dir/vxz"
zeros() { head -c "$1" /dev/zero; }
xyz='property float x\nproperty float y\nproperty float z\n'
face='element face 1\nproperty list uchar int vertex_indices\n'

zeros 32 >"$dir/bin/two_rows"

npy() { # name, descr, fortran, shape, bytes
  printf "\223NUMPY\001\000\107\000%-71s" \
    "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }" >"$dir/npy/$1"
  zeros "$5" >>"$dir/npy/$1"
}
npy coords '<i4' False '2, 3' 24
npy fortran '>f8' True '2, 4' 64
npy batched '<u8' False '1, 4' 32
# An archive with one stored array: local header, data, central directory, end.
size='\172\000\000\000\172\000\000\000'
crc='\377\140\265\261'
{
  printf "PK\003\004\024\000\000\000\000\000\000\000\041\000$crc$size\005\000\000\000a.npy"
  printf "\223NUMPY\001\000\130\000%-88s" \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
  zeros 24
  printf "PK\001\002\024\000\024\000\000\000\000\000\000\000\041\000$crc$size\005\000"
  zeros 16
  printf "a.npyPK\005\006\000\000\000\000\001\000\001\000\063\000\000\000\235\000\000\000\000\000"
} >"$dir/npz/stored"

printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 -1\n' >"$dir/obj/triangle"

pcd() { # name, data, points
  printf '# .PCD v.7\nVERSION 0.7\nFIELDS x _ y z\nSIZE 4 1 4 8\nTYPE F U F F\nCOUNT 1 2 1 1\n' \
    >"$dir/pcd/$1"
  printf 'WIDTH %s\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %s\nDATA %s\n' "$3" "$3" "$2" \
    >>"$dir/pcd/$1"
}
pcd ascii ascii 2
printf '1 0 0 2 3\nnan 0 0 5 6\n' >>"$dir/pcd/ascii"
pcd binary binary 2
zeros 36 >>"$dir/pcd/binary"
# One literal run of 18 bytes: control byte 17, then the bytes.
pcd compressed binary_compressed 1
printf '\023\000\000\000\022\000\000\000\021' >>"$dir/pcd/compressed"
zeros 18 >>"$dir/pcd/compressed"

printf "ply\nformat ascii 1.0\nelement vertex 3\n$xyz${face}end_header\n" >"$dir/ply/ascii"
printf '0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n' >>"$dir/ply/ascii"
for endian in little big; do
  printf "ply\nformat binary_${endian}_endian 1.0\nelement vertex 1\n$xyz${face}end_header\n" \
    >"$dir/ply/$endian"
  zeros 13 >>"$dir/ply/$endian"
done
printf "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty list uchar short l\n" \
  >"$dir/ply/list"
printf "${xyz}end_header\n" >>"$dir/ply/list"
zeros 13 >>"$dir/ply/list"

printf '1 2 3\n4.5 +5 -6e-1\n' >"$dir/txt/blanks"
printf 'x,y,z,nx\n1 , 2 , 3,0\n"4",5,6,0\n' >"$dir/csv/header"
printf '1;2;3\n' >"$dir/csv/semicolon"

# Two levels: a root with one child, which has two voxels.
json='{"num_voxel":2,"chunk_size":4,"compression":"none","attr":[],"chunks":'
json="$json"'[{"idx":[0,1,0],"ptr":[0,2],"svo":[0,2]}]}'
printf "VXZ\000\000\000\000\\$(printf '%03o' $((8 + ${#json})))%s\001\003" "$json" >"$dir/vxz/plain"
