#!/usr/bin/env bash
# Makes a big-endian root file system to compile against and run in: Debian 12's s390x packages, unpacked.
#
#   scripts/s390x_sysroot.sh DIR
#
# The packages come from the mirror that this system uses itself, through an apt state of their own: the
# system's packages and architectures stay as they are. A folder that is complete is left alone.
set -euo pipefail

release=bookworm
packages=(libc6-dev libstdc++-12-dev libprotobuf-dev libabsl-dev libsnappy-dev nlohmann-json3-dev
          libgtest-dev libgmock-dev libleveldb-dev)
# Of LLVM only the headers and the one archive whose objects are bundled; the package needs half of Debian.
llvm=llvm-19-dev
llvm_parts=(./usr/include/llvm-19 ./usr/include/llvm-c-19 ./usr/lib/llvm-19/include
            ./usr/lib/llvm-19/lib/libLLVMSupport.a)

[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
root=$(cd "$1" && pwd)
stamp="$root/.complete"
wanted="$release ${packages[*]} $llvm ${llvm_parts[*]}"
if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
find "$root" -mindepth 1 -delete

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,none}
: > "$work/status"

mirror=$(apt-get indextargets --format '$(CODENAME) $(SITE)' 'Created-By: Packages' |
         sed -n "s/^$release //p" | head -n 1)
[ -n "$mirror" ] || { echo "s390x_sysroot.sh: apt knows no mirror of Debian $release here" >&2; exit 1; }
echo "deb [arch=s390x signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" \
  > "$work/sources.list"

private_apt=(apt-get -qq -o APT::Architecture=s390x -o APT::Architectures::=s390x -o APT::Sandbox::User=root
  -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts="$work/none"
  -o Dir::Etc::preferencesparts="$work/none" -o Dir::State="$work" -o Dir::State::status="$work/status"
  -o Dir::Cache="$work" -o Acquire::Languages=none -o Acquire::Retries=3 -o Debug::NoLocking=1)
# Command-line lists are added to the system's: clear its architectures, and what it runs after an update.
export APT_CONFIG="$work/apt.conf"
echo '#clear APT::Architectures; #clear APT::Update;' > "$APT_CONFIG"

"${private_apt[@]}" update
"${private_apt[@]}" -y --no-install-recommends --download-only install "${packages[@]}"
(cd "$work" && "${private_apt[@]}" download "$llvm")

for package in "$work"/archives/*.deb; do
  dpkg-deb -x "$package" "$root"
done
dpkg-deb --fsys-tarfile "$work/$llvm"_*.deb | tar -x -C "$root" "${llvm_parts[@]}"

# Links that start at / mean the root of the sysroot, not of this machine.
find "$root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$root$target")" "$link"
done
# The same library is named as /lib/... and as /usr/lib/...: one folder, as on an installed system.
if [ -d "$root/lib" ] && [ ! -L "$root/lib" ]; then
  cp -a "$root/lib/." "$root/usr/lib/"
  rm -rf "$root/lib"
  ln -s usr/lib "$root/lib"
fi
# Snappy's CMake files name /usr itself.
sed -i 's#"/usr#"${CMAKE_SYSROOT}/usr#g' "$root"/usr/lib/s390x-linux-gnu/cmake/Snappy/*.cmake

echo "$wanted" > "$stamp"
echo "s390x sysroot: $(find "$root" -type f | wc -l) files in $root"
