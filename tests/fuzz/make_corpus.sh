#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes one small valid file per variant of the text formats and headers: DIR/<target>/<name>.
# The fuzzer finds the rest; binary formats start from the headers that lead to their bodies.
set -eu
dir=${1:?usage: make_corpus.sh DIR}
root=$(cd "$(dirname "$0")/../.." && pwd)
for target in bin npy npz obj pcd ply txt csv vxz suite tuning peaks records results samples \
  command_line; do
  mkdir -p "$dir/$target"
done
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

# Without the includes, which lie beside them.
for suite in "$root"/configs/suites/*.toml "$root"/configs/shapes/*.toml; do
  grep -v '^include' "$suite" >"$dir/suite/$(basename "$suite")"
done
printf 'a.b.c = 1\n[d.e]\nf = {g = [1.5, "x", \047y\047, """z""", 1979-05-27]}\n' >"$dir/suite/toml"

machine='"device":"d","driver":"1","tool_version":"0.1.0"'
class='"algorithm":"implicit_gemm","algorithm_version":1,"direction":"fprop","dtype":"f32",'
class="$class"'"conv_kind":"subm","kernel_volume":27,"c_in":16,"c_out":32,"groups":1,'
class="$class"'"n_out_bucket":8,"pairs_bucket":12'
trial='{"choice":{"split":"3","kernel":"fma"},"kernel":"fma","params":"{}","status":"ok",'
trial="$trial"'"median_us":1.5,"samples_us":[1.5,2],"plan_us":3.5}'
entry="{$machine,$class"',"problem":"p","dataset":"sphere:8","n_out":192,"n_pairs":2544,'
entry="$entry"'"mode":"all","runs":4,"tuned_utc":"u","tune_ms":1.5,"winner":0,"candidates":['
printf '{"type":"tuning","format":2,"entries":[%s%s]}]}\n' "$entry" "$trial" >"$dir/tuning/one"
sed 's/"format":2/"format":1/; s/"split":"3"/"split":3/' "$dir/tuning/one" >"$dir/tuning/format_1"

printf '{"type":"peaks","device":"d","driver_version":"1","copy_gbps":1.5,"read_gbps":2,' \
  >"$dir/peaks/one"
printf '"l2_read_gbps":3,"launch_us":4,"launch_wait_us":5,"gather_gbps":{"64":1.5},' \
  >>"$dir/peaks/one"
printf '"compute":{"f32":{"gflops":6,"source":"probe:fma"}}}\n' >>"$dir/peaks/one"

context='{"type":"context","schema_version":"1.9","run_id":"r","gpu_name":"g"}'
row='{"type":"result","run_id":"r","case_id":"c","status":"ok","phase":"kernel","c_in":16,'
row="$row"'"time_median_us":1.5,"deterministic":true,"gpu_name":null}'
end='{"type":"case_end","case":"c"}'
printf '%s\n' "$context" "$row" "$end" '{"type":"summary","cases":1}' >"$dir/records/run"
printf '{"type":"result","schema_version":"1.0","seed":9007199254740993}\n' >"$dir/records/whole"
if command -v xz >/dev/null; then xz -c "$dir/records/run" >"$dir/records/run_xz"; fi

head -n 3 "$root/tests/golden/records/results.csv" >"$dir/results/golden"
printf 'schema_version,dataset,time_min_us,status_detail\n1.8,"\047=a,""b""",-1.5,\047@c\n' \
  >"$dir/results/formulas"

samples='run_id,case_id,round,sample,set,time_ns,sm_clock_mhz,throttled,outlier'
printf '%s\nr,"c,d",0,0,0,1500,,0,0\nr,"c,d",1,0,0,1600,1980,1,0\n' "$samples" \
  >"$dir/samples/two"

printf '%s\n' sphere:8 --channels 16:32,64-256*2 --kernel-size 3x3x1,5 --stride=1,2 \
  --dtypes f16,all --seed 7 --voxel-size 0.05x0.05x0.1 --range 0,-40,-3:70.4,40,1 --merge \
  >"$dir/command_line/many"
printf '%s\n' a.bin b.npy --columns 5 --axes bzyx --resolution 256 --frame cylinder \
  --groups depthwise --padding 0x1x1 --conv inverse --filter '*/f16/*' --config demo \
  >"$dir/command_line/files"
