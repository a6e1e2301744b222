#!/bin/sh
# scripts/install-deps with an apt that is a script of its own: it waits for a lock, and says so when that never ends.
# Usage: test_install_deps.sh INSTALL_DEPS
# shellcheck disable=SC2016,SC2034 # what is expected is evaluated later
set -u
script=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir bin
failed=0

# locks.txt: how many calls find the lock held; installed: apt has been
cat >bin/apt-get <<'END'
#!/bin/sh
echo "$*" >>calls.txt
case $* in *DPkg::Lock::Timeout=*) ;; *) echo "E: no timeout" && exit 100 ;; esac
left=$(cat locks.txt)
if [ "$left" -gt 0 ]; then
    echo $((left - 1)) >locks.txt
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"
    exit 100
fi
case $* in *install*) touch installed ;; esac
END
cat >bin/dpkg-query <<'END'
#!/bin/sh
[ ! -e installed ] || printf installed
END
printf '#!/bin/sh\necho 0\n' >bin/id
chmod +x bin/*

# run SECONDS LOCKS: its exit code stands in code, what it says in said
run() {
    rm -f installed calls.txt
    echo "$2" >locks.txt
    PATH=$PWD/bin:$PATH WIRBEL_APT_WAIT=$1 "$script" opencl >said 2>&1
    code=$?
}

expect() {
    if ! eval "$2"; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        sed 's/^/    /' said
    fi
}

run 60 0
expect "installs" '[ $code -eq 0 ] && [ -e installed ] && ! grep -q waiting said'
run 60 2
expect "waits for the lock" '[ $code -eq 0 ] && [ -e installed ]'
expect "says once that it waits" '[ "$(grep -c "Another program uses apt: waiting" said)" -eq 1 ]'
run 1 1000
expect "gives up when it does not end" '[ $code -eq 1 ] && [ ! -e installed ]'
expect "says who holds it" 'grep -q "held by process 1" said && grep -q "held apt.s lock for 1 s" said'

echo "$failed failed"
[ "$failed" -eq 0 ]
