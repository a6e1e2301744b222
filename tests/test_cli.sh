#!/bin/sh
# The command line from outside: exit codes, messages, and that files are made whole or left alone.
# Usage: test_cli.sh PROGRAM
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir scenes
failed=0
passed=0

fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    stdout: /' out
    sed 's/^/    stderr: /' err
}

# expect CODE STDOUT STDERR ARGUMENT…: runs the program; texts are searched as they are, "" means that nothing is said
expect() {
    code=$1 wantedOut=$2 wantedErr=$3
    shift 3
    "$program" "$@" >out 2>err
    got=$?
    if [ $got -ne "$code" ]; then
        fail "wirbel $* ended with $got instead of $code"
    elif [ -n "$wantedOut" ] && ! grep -qF -e "$wantedOut" out; then
        fail "wirbel $*: stdout lacks: $wantedOut"
    elif [ -n "$wantedErr" ] && ! grep -qF -e "$wantedErr" err; then
        fail "wirbel $*: stderr lacks: $wantedErr"
    elif [ -z "$wantedOut" ] && [ -s out ]; then
        fail "wirbel $*: says something on stdout"
    elif [ -z "$wantedErr" ] && [ -s err ]; then
        fail "wirbel $*: says something on stderr"
    else
        passed=$((passed + 1))
    fi
}

# expect_that DESCRIPTION COMMAND…: the command succeeds
expect_that() {
    description=$1
    shift
    if "$@" >out 2>err; then passed=$((passed + 1)); else fail "$description"; fi
}

cat >scenes/drop.json <<'END'
{
  "title": "Drop", "description": "a test",
  "world": {"dimensions": 2, "dt": 0.001, "seconds": 0.1},
  "domain": {"min": [0, 0], "max": [1, 1]},
  "sph": {"spacing": 0.1},
  "fluids": [{"name": "water", "blocks": [{"min": [0.2, 0.2], "max": [0.8, 0.8]}]}],
  "output": {"fps": 50, "size": [64, 48]}
}
END
cat >balanced.json <<'END'
{"world": {"dimensions": 2, "seconds": 0.02}, "domain": {"min": [0, 0], "max": [1, 1]}, "sph": {"spacing": 0.1},
 "fluids": [{"name": "water", "quality": "balanced", "blocks": [{"min": [0, 0], "max": [1, 0.5]}]}]}
END
cat >calm.json <<'END'
{"world": {"dimensions": 2, "seconds": 0.02}, "domain": {"min": [0, 0], "max": [1, 1]}, "sph": {"spacing": 0.1, "smoothing": 2.5},
 "fluids": [{"name": "water", "quality": "precise", "blocks": [{"min": [0, 0], "max": [1, 0.5]}]}]}
END
cat >pool.json <<'END'
{"domain": {"min": [0, 0, 0], "max": [1, 2, 1]}, "pbf": {"spacing": 0.1},
 "fluids": [{"name": "pool", "solver": "pbf", "blocks": [{"min": [0, 0, 0], "max": [1, 1.5, 1]}]}]}
END
sed 's/"spacing"/"spacin"/' scenes/drop.json >unknown-key.json
sed 's/"spacing": 0.1/"spacing": 0.1, "viscosity": -3/' scenes/drop.json >range.json
sed 's/"spacing": 0.1/"particles": 1000, "soundSpeed": "auto"/' scenes/drop.json >auto.json
sed 's/"spacing": 0.1/"spacing": 0.07/' scenes/drop.json >odd.json
head -c 100 scenes/drop.json >cut.json
sed 's/"dt": 0.001/"dt": 1/' scenes/drop.json >large-dt.json

# without a command, help, version
expect 2 "" "wirbel run SCENE"
expect 0 "wirbel run SCENE" "" --help
expect 0 "physics of water, smoke, fire, cloth, soft and rigid bodies" "" --help
expect 0 "wirbel 0." "" --version
expect 0 "--set-at TIME:KEY=VALUE" "" run --help
for command in run check scenes params info bench validate analyze; do
    expect 0 "wirbel $command" "" $command --help
done
expect 2 "" 'unknown command "rum"; did you mean "run"?' rum
expect 2 "" 'unknown command "fly"' fly

# flags
expect 2 "" 'unknown flag "--secnds" of "wirbel run"; did you mean "--seconds"?' run drop --secnds 1
expect 2 "" 'unknown flag "-q"' run drop -q
expect 2 "" "--seconds needs a value: --seconds S" run drop --seconds
expect 2 "" "--video needs a value" run drop --video --quiet
expect 2 "" "--video needs a value" run drop --video=
expect 2 "" "--quiet takes no value" run drop --quiet=1
for value in x -1 1e99 nan inf 0x10 "" " 1"; do
    expect 2 "" "--seconds" run drop --seconds "$value"
done
expect 2 "" '--frames is "1.5", allowed is 0 to 1000000000, whole numbers' run drop --frames 1.5
expect 2 "" '--threads is "0", allowed is 1 to 256, whole numbers' run drop --threads 0
expect 2 "" '--threads is "257"' run drop --threads=257
expect 2 "" '--every is "0"' run drop --every 0
expect 2 "" "give one of them" run drop --seconds 1 --frames 1
for backend in gpu opencl: opencl:x opencl:-1 opencl:1.5 opencl:256; do
    expect 2 "" "--backend $backend: must be cpu, opencl, or opencl:N" run drop --backend $backend
done
expect 0 "36 particles" "" run drop --backend cpu --quiet
expect 0 " x real time)" " with output " run drop
# without a driver OpenCL has no device
mkdir -p no-drivers
export OCL_ICD_VENDORS="$PWD/no-drivers"
expect 1 "" "OpenCL" run drop --backend opencl --quiet
expect 1 "" "OpenCL" bench gpu-sort-32768-counting --json
expect 1 "" "OpenCL" validate sph-momentum --json --backend opencl
sed 's/"seconds"/"backend": "opencl", "seconds"/' scenes/drop.json >on-device.json
expect 1 "" "OpenCL" check on-device.json
unset OCL_ICD_VENDORS
# memory is the machine's as well
sed 's/"dt": 0.001/"memoryLimit": 1e6/; s/"spacing": 0.1/"spacing": 0.001/' scenes/drop.json >large.json
for command in run check; do
    "$program" $command large.json >out 2>err
    expect_that "$command without memory ends with 1" test $? -eq 1
done
# nor has any machine as many: that is told by the same code
"$program" run drop --backend opencl:255 --quiet >out 2>err
expect_that "a device that is not there ends with 1" test $? -eq 1
expect 2 "" "--size 10x10: output.size.width is 10" run drop --size 10x10
expect 2 "" "--size big: output.size" run drop --size big
expect 2 "" "SCENE" run
expect 2 "" "too many arguments" run drop drop
expect 2 "" "too many arguments" info x

# --set and --set-at
expect 2 "" "--set sph.viscosity: must be SECTION.NAME=VALUE" run drop --set sph.viscosity
expect 2 "" 'unknown parameter "viscosty" in "sph"; did you mean "viscosity"?' run drop --set sph.viscosty=1
expect 2 "" 'unknown section or object "shp"; did you mean "sph"?' run drop --set shp.viscosity=1
expect 2 "" "sph.viscosity is -3, allowed is 0 to 1e+06 Pa s" run drop --set sph.viscosity=-3
expect 2 "" "sph.viscosity is" run drop --set sph.viscosity=
expect 2 "" "must be SECTION.NAME" run drop --set =1
expect 2 "" "has no parameters" run drop --set water.x=1
expect 2 "" "must be TIME:SECTION.NAME=VALUE" run drop --set-at sph.viscosity=1
expect 2 "" "must be TIME:SECTION.NAME=VALUE" run drop --set-at x:sph.viscosity=1
expect 2 "" "time is -1" run drop --set-at -1:sph.viscosity=1
expect 2 "" "sph.spacing is fixed" run drop --set-at 1:sph.spacing=1
expect 2 "" "too small?" run drop --set sph.spacing=1e-6

# scenes
expect 2 "" 'no scene "dorp" here or in scenes; did you mean "drop"?' run dorp
expect 2 "" "cannot read none.json: No such file or directory" run none.json
expect 2 "" 'no scene "scenes" here' run scenes
expect 2 "" 'unknown-key.json:5:11: unknown key "spacin" in "sph"; did you mean "spacing"?' run unknown-key.json
expect 2 "" "sph.viscosity is -3, allowed is 0 to 1e+06 Pa s" check range.json
expect 2 "" "cut.json:3:" check cut.json
expect 0 "36 particles" "" check drop
expect 0 "sub-steps 2 (auto) x 6 iterations" "" check pool.json
expect 0 "pressure   solved for (split), to 0.0003 of density, in 2 to 100 updates" "" check balanced.json
expect 0 "quality    precise for water, by the solver sph: method explicit, kernel wendland, smoothing 2.5 (instead of 3)" "" check calm.json
expect 0 "blocks     of water: 313.6 kg of 360 kg, 12.9 % are missing, as layers of 0.07 m do not fill them" "" \
    check odd.json
expect_that "of what fills its block nothing is missing" test "$("$program" check drop | grep -c missing)" -eq 0
echo '{}' >nothing.json
expect 0 "0.01667 s (auto)" "the scene has no fluids, no soft bodies, no rigid bodies and no smoke" check nothing.json
cat >chain.json <<END
{"world": {"seconds": 0.02},
 "bodies": [{"name": "link", "copies": {"counts": [3, 1, 1], "spacing": [2, 1, 1]}}],
 "joints": [{"name": "pin", "kind": "ball", "bodies": "link"}],
 "forces": [{"name": "breeze", "kind": "wind", "bodies": "all"}]}
END
expect 0 "joint      pin-1: ball" "" check chain.json
expect 0 "force      breeze: wind" "" check chain.json
sed 's/"world"/"rigid": {"contact": "particles"}, "world"/' chain.json >chain-of-particles.json
for command in check run; do
    expect 0 "chain" "bodies of particles do not feel joints, of which there are 2" $command chain-of-particles.json
done
expect 0 "hash" "" run chain.json --quiet --set-at 0.01:link-1.on=false --set-at 0.01:pin-0.on=false
expect 0 "torque|attraction|wind" "" params force
expect_that "what holds nothing has no stability limit" test "$("$program" check nothing.json 2>&1 | grep -c "stability limit")" -eq 0
expect 0 "m/s (auto: 1 % compression), B =" "above the stability limit" check auto.json
expect 0 "1024 particles" "above the stability limit" check auto.json
expect 0 "100 particles" "" run auto.json --quiet --set sph.particles=100
expect 2 "" "sph.particles is fixed" run auto.json --set-at 1:sph.particles=10
expect 0 "stability limit" "warning: world.dt is 1 s, above the stability limit" check large-dt.json
expect 1 "" "warning: world.dt is 1 s, above the stability limit" run large-dt.json --quiet --seconds 1000
sed 's/\("blocks": \[\)\({.*}\)\]}/\1\2, \2]}/' scenes/drop.json >coincident.json
for command in check "run --quiet"; do
    # shellcheck disable=SC2086 # words are wanted
    expect 0 "particles" 'warning: the first step finds fluid "water" compressed by 100 %, worst at (' $command coincident.json
done
sed 's/"soundSpeed": "auto"/"soundSpeed": 1/' auto.json >soft-water.json
for command in check "run --quiet --frames 1"; do
    # shellcheck disable=SC2086 # words are wanted
    expect 0 "particles" "is too deep for sph.soundSpeed 1 m/s, which lets its weight compress it by" $command soft-water.json
done
sed 's/"soundSpeed": "auto"/"soundSpeed": 20/; s/"name": "water"/&, "restDensity": 13600/' auto.json >mercury.json
expect 0 "particles" "is too deep for sph.soundSpeed 20 m/s, which lets its weight compress it by 19 %" check mercury.json
# what does nothing as it stands
cat >idle.json <<'END'
{
  "world": {"seconds": 2},
  "domain": {"min": [0, 0, 0], "max": [1, 1, 1], "sides": {"top": {"velocity": [1, 0, 0]}}},
  "smoke": {"cellSize": 0.1, "buoyancy": 0},
  "sources": [
    {"name": "far", "position": [3, 0, 0]},
    {"name": "small", "position": [0.5, 0.5, 0.5], "radius": 0.04},
    {"name": "short", "position": [0.5, 0.5, 0.5], "start": 1, "end": 0.5},
    {"name": "late", "position": [0.5, 0.5, 0.5], "start": 3},
    {"name": "empty", "position": [0.5, 0.5, 0.5], "density": 0},
    {"name": "tank", "position": [0.5, 0.5, 0.5], "fuel": 1},
    {"name": "warm", "position": [0.5, 0.5, 0.5], "temperature": 10},
    {"name": "red", "position": [0.5, 0.5, 0.5], "colour": [1, 0, 0]},
    {"name": "shut", "position": [0.5, 0.5, 0.5], "open": false},
    {"name": "fan", "position": [0.5, 0.5, 0.5], "density": 0}
  ],
  "script": [{"at": 1, "set": "fan.velocity", "value": [1, 0, 0]}]
}
END
expect 0 "10 x 10 x 10 cells" 'warning: side top has a velocity, but everything slips along it' check idle.json
cat >cold.json <<'END'
{
  "domain": {"min": [0, 0, 0], "max": [1, 1, 1],
             "sides": {"top": {"type": "open", "temperature": 5}, "left": {"temperature": 5}}},
  "smoke": {"cellSize": 0.1},
  "colliders": [{"name": "stove", "position": [0.5, 0.5, 0.5], "size": [0.4, 0.4, 0.4], "temperature": 50}]
}
END
for words in 'side top has a temperature, but it is open' 'side left has a temperature, but no heat is conducted' \
    'collider "stove" has a temperature, but no heat is conducted' 'the air stays at rest'; do
    expect 0 "smoke" "warning: $words" check cold.json
done
sed '/"smoke"/d' cold.json >dry.json
for words in 'side left has a temperature, but there is no smoke' 'collider "stove" has a temperature, but there is no smoke'; do
    expect 0 "world" "warning: $words" check dry.json
done
# a piston that leaves water no room
cat >piston.json <<'END'
{
  "world": {"dimensions": 2, "seconds": 0.05}, "domain": {"min": [0, 0], "max": [1, 1]}, "sph": {"spacing": 0.1},
  "fluids": [{"name": "water", "blocks": [{"min": [0, 0], "max": [1, 0.3]}]}],
  "colliders": [{"name": "piston", "size": [1, 0.2, 1], "position": [0.5, 0.8], "speed": 1e6}],
  "script": [{"at": 0.01, "set": "piston.position", "value": [0.5, 0.05]}]
}
END
expect 0 "30 particles" 'warning: 30 of 30 particles ended beyond a closed side or in a collider' run piston.json
for words in '"far" lies outside' '"small" is smaller than a cell of 0.1 m' '"short" ends at 0.5 s' '"late" starts at 3 s' \
    '"empty" has no density' '"tank" has fuel' '"warm" has a temperature' '"red" has a colour' '"shut" is closed'; do
    expect 0 "smoke" "warning: source $words" check idle.json
done
expect_that "a source that the script sets is not idle" test "$("$program" check idle.json 2>&1 | grep -c '"fan"')" -eq 0
expect_that "nothing else is complained of" test "$("$program" check idle.json 2>&1 | grep -c warning)" -eq 10
# what can hardly be meant
cat >mistakes.json <<'END'
{
  "world": {"dimensions": 3, "seconds": 0.5, "gravity": [0, 9.81, 0]},
  "domain": {"min": [0, 0, 0], "max": [1, 1, 1]},
  "sph": {"spacing": 0.1}, "pbf": {"iterations": 9}, "pbd": {"iterations": 9},
  "fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [0.2, 0.2, 0.2], "velocity": [11, 0, 0]}]}],
  "emitters": [
    {"name": "shut", "position": [0.5, 0.9, 0.5], "direction": [0, -1, 0], "open": false},
    {"name": "late", "position": [0.5, 0.9, 0.5], "direction": [0, -1, 0], "start": 1},
    {"name": "over", "position": [0.5, 0.9, 0.5], "direction": [0, -1, 0], "start": 0.3, "end": 0.2},
    {"name": "slow", "position": [0.5, 0.9, 0.5], "direction": [0, -1, 0], "velocity": 0},
    {"name": "fast", "position": [0.5, 0.9, 0.5], "direction": [0, -1, 0], "velocity": 15}
  ],
  "drains": [{"name": "plug", "min": [0, 0, 0], "max": [1, 0.1, 1], "open": false}],
  "colliders": [{"name": "stone", "shape": "sphere", "radius": 0.2, "position": [0.7, 0.5, 0.5]},
                {"name": "leaf", "shape": "box", "size": [0.1, 0.2, 0.5], "position": [0.4, 0.5, 0.5]},
                {"name": "paddle", "shape": "box", "size": [0.1, 0.2, 0.5], "position": [0.1, 0.7, 0.5]},
                {"name": "tray", "shape": "box", "size": [0.1, 0.2, 0.5], "position": [0.9, 0.8, 0.5]}],
  "mechanisms": [{"name": "gate", "kind": "gate", "colliders": ["leaf"], "travel": [0, 0, 0]},
                 {"name": "wheel", "kind": "wheel", "colliders": ["paddle"]},
                 {"name": "shaker", "kind": "shaker", "colliders": ["tray"], "travel": [0, 0, 0]}],
  "script": [{"at": 0.5, "set": "sph.viscosity", "value": 1}],
  "camera": {"position": [0.7, 0.5, 0.45], "target": [0.7, 0.5, 5]}
}
END
for words in 'world.gravity is 9.81 m/s2 along y' 'pbf.iterations is set, but no fluid has the solver pbf' \
    'pbd.iterations is set, but there are no soft bodies' 'fluid "water" starts water at 11 m/s, but sph.soundSpeed is 20' \
    'emitter "shut" is closed' 'emitter "late" starts at 1 s, but the run ends at 0.5 s' 'emitter "over" ends at 0.2 s' \
    'emitter "slow" has the velocity 0' 'emitter "fast" starts water at 15 m/s' 'drain "plug" is closed' \
    'the travel of "gate" is 0' 'wheel "wheel" is turned by a motor, but its speed is 0' 'shaker "shaker" has no travel' \
    'the script sets sph.viscosity at 0.5 s, but the run ends at 0.5 s' 'the camera stands in collider "stone"'; do
    expect 0 "water" "warning: $words" check mistakes.json
done
sed 's/"position": \[0.7, 0.5, 0.45\], "target"/"position": [0.7, 0.5, 3], "target"/; s/"seconds": 0.5/"seconds": 0/' mistakes.json >away.json
expect 0 "water" "warning: the camera looks away from the domain" check away.json
expect 0 "water" "warning: world.seconds is 0" check away.json
sed 's/"solver": "pbf", //; s/"name": "water"/"name": "water", "solver": "pbf"/' scenes/drop.json >other-solver.json
expect 0 "water" "warning: sph.spacing is set, but no fluid has the solver sph" check other-solver.json
echo '{"world": {"gravity": [0, 0, 0]}, "fluids": [{"name": "water", "solver": "pbf", "adaptive": {},
    "blocks": [{"min": [0, 0, 0], "max": [1, 0.3, 1]}]}], "pbf": {"spacing": 0.05}}' >sizes.json
expect 0 "levels" "warning: pbf.tension 0.03 is not felt: particles of different sizes have none without gravity" check sizes.json
expect 0 "levels" 'warning: of fluid "water" 100 % of the particles would be left with pbf.adaptive' check sizes.json
sed 's/"gravity": \[0, 0, 0\]/"gravity": [0, -9.81, 0]/' sizes.json >weight.json
expect_that "tension is felt with gravity" test "$("$program" check weight.json 2>&1 | grep -c tension)" -eq 0
# what other languages allow
printf '{"world": {"dimensions": 2,}}' >comma.json
expect 2 "" "comma.json:1:28: string or '}' expected near '}' (JSON has no comma behind the last entry)" check comma.json
printf '{\n// water\n"world": {}}' >comment.json
expect 2 "" "(JSON has no comments)" check comment.json
printf "{'world': {}}" >quotes.json
expect 2 "" "(JSON has double quotes around texts)" check quotes.json
printf '{"domain": {"min": [0, 0, 0], "max": [1, 1, 1]}, "smoke": {"cellSize": 0.1, "fire": true}}' >still.json
expect 0 "smoke" "warning: the air stays at rest and without smoke" check still.json
expect 0 "smoke" "warning: smoke.fire is on, but no source has fuel" check still.json
cat >idle-output.json <<'END'
{
  "domain": {"min": [0, 0, 0], "max": [2, 2, 2], "sides": {"left": {"type": "open", "velocity": [1, 0, 0]}}},
  "smoke": {"cellSize": 0.1, "vortices": 2, "follow": true, "viscosity": 1},
  "output": {"field": "speed", "sliceAt": 7, "colourMin": 3, "colourMax": 3}
}
END
for words in "output.sliceAt is 7 m, but the domain's box is from 0 to 2 m" \
    'output.colourMin is 3, not below output.colourMax' 'side left has a velocity, but it is open'; do
    expect 0 "smoke" "warning: $words" check idle-output.json
done
expect_that "what does not follow is not said to" test "$("$program" check idle-output.json 2>&1 | grep -c 'fine only')" -eq 0
sed 's/, "viscosity": 1//; s/"sliceAt": 7/"sliceAt": 0/; s/"colourMin": 3/"colourMin": 0/; s/, "velocity": \[1, 0, 0\]//' \
    idle-output.json >follows.json
expect 0 "fine only around the smoke" "" check follows.json
sed 's/"fire": true/"vortices": 2/' still.json >vortices.json
expect 0 "smoke" "" check vortices.json

# what is where it does nothing
cat >places.json <<'END'
{"domain": {"min": [0, 0], "max": [1, 1]}, "world": {"dimensions": 2}, "sph": {"spacing": 0.05},
 "fluids": [{"name": "water", "blocks": [{"min": [0, 0], "max": [1, 0.2]}]}],
 "emitters": [{"name": "pipe", "position": [0.5, 0.7], "radius": 0.1},
              {"name": "half", "position": [0.5, 0.8], "radius": 0.1},
              {"name": "good", "position": [0.1, 0.8], "radius": 0.05}],
 "drains": [{"name": "sink", "min": [2, 0], "max": [3, 1]}, {"name": "inside", "min": [0.9, 0], "max": [3, 1]},
            {"name": "later", "min": [2, 0], "max": [3, 1]}],
 "colliders": [{"name": "rock", "size": [0.4, 0.4], "position": [0.5, 0.6]},
               {"name": "far", "size": [0.2, 0.2], "position": [1.5, 0.5], "rotation": [0, 0, 30]},
               {"name": "gate", "size": [0.2, 0.2], "position": [1.5, 0.5]}],
 "mechanisms": [{"name": "slide", "kind": "gate", "colliders": ["gate"], "travel": [-1, 0]}],
 "script": [{"at": 1, "set": "later.min", "value": [0.5, 0]}]}
END
for words in 'drain "sink" is outside the domain' 'collider "far" is outside the domain' \
    'emitter "pipe" starts in a collider' '2 of 4 places of emitter "half" start in a collider'; do
    expect 0 "emitter" "warning: $words" check places.json
done
for pair in '"airWater": "both"' '"airHeat": true'; do
    sed "s/\"sph\"/\"coupling\": {$pair}, &/" places.json >airless.json
    expect 0 "emitter" 'does nothing: there is no air; add a section "smoke"' check airless.json
done
expect_that "nothing else is out of place" test "$("$program" check places.json 2>&1 | grep -c warning)" -eq 4
expect 0 "drop                     2D        36  a test" "" scenes
expect 0 "viscosity            0.001" "" params sph
expect 2 "" 'unknown section "shp"; did you mean "sph"?' params shp
expect 0 '"additionalProperties": false' "" params --schema
expect 0 "simd" "" info
# without any driver, whatever the machine has
export OCL_ICD_VENDORS=/nonexistent
expect 0 "opencl     OpenCL " "" info
expect 1 "" "pocl-opencl-icd" bench --json gpu-sort-32768-counting
unset OCL_ICD_VENDORS

# runs
expect 0 "Drop: 5 frames, 0.1 s in 100 steps, 36 particles" "" run drop --quiet
expect 0 "Drop: 2 frames, 0.04 s in 40 steps" "" run scenes/drop.json --frames 2 --quiet
expect 0 "Drop: 0 frames, 0 s in 0 steps" "" run drop --seconds 0 --quiet
expect 0 "Drop: 5 frames" "frame 5/5" run drop
"$program" run drop --quiet --threads 1 >one
"$program" run drop --quiet --threads 2 >two
expect_that "the hash does not depend on the threads" \
    test "$(grep -o 'hash .*' one)" = "$(grep -o 'hash .*' two)"
"$program" run drop --quiet --set-at 0.05:world.gravity=0,5 >three
expect_that "a script changes the result" test "$(grep -o 'hash .*' one)" != "$(grep -o 'hash .*' three)"

# outputs
expect 0 "made png, ply, vtk, s.csv" "" run drop --quiet --every 2 --png png --ply ply --vtk vtk --stats s.csv
expect_that "each second picture, from the start" \
    test "$(cd png && echo *)" = "frame_000000.png frame_000002.png frame_000004.png"
expect 0 "made fewer" "" run drop --quiet --png fewer --png-every 3
expect_that "each third of the pictures" test "$(cd fewer && echo *)" = "frame_000000.png frame_000003.png"
expect_that "a frame's picture is the same, whichever were written before" cmp -s fewer/frame_000000.png png/frame_000000.png
expect_that "particles as PLY" test -s ply/particles_000004.ply
expect_that "particles as VTK" test -s vtk/particles.pvd
expect_that "a header and a line per written frame" test "$(wc -l <s.csv)" -eq 4
if command -v ffmpeg >/dev/null; then
    expect 0 "made v.mp4" "" run drop --quiet --video v.mp4 --size 65x49
    expect 0 "made V.MP4" "" run drop --quiet --video V.MP4 --size 64x48 --seconds 0
fi
for film in v.avi v.mkv v.mp4.webm v .mp4; do
    expect 2 "" "--video $film: films are written as MP4: let its name end in .mp4" run drop --quiet --video $film
    expect_that "no film of another kind is made" test ! -e $film
done
# what could hold nothing of the scene
for command in run check; do
    "$program" $command - <scenes/drop.json >said 2>err
    expect_that "$command reads a scene from stdin" grep -q Drop said
done
sed 's/"title": "Drop", //' scenes/drop.json | "$program" run - --quiet --seconds 0 >said
expect_that "a scene from stdin is called so" grep -q '^<stdin>: 0 frames' said
"$program" check - <unknown-key.json >out 2>said
expect_that "a mistake on stdin ends with 2" test $? -eq 2
expect_that "and has a place" grep -q '<stdin>:5:11: unknown key "spacin"' said
expect 2 "" "<stdin> is empty" run - </dev/null
printf '{"colliders": [{"name": "stone", "mesh": "no.obj"}]}' | "$program" check - 2>said
expect_that "meshes are looked for here" grep -q '<stdin>:1:42: .*no.obj' said
expect 2 "" "--ply writes particles, but the scene has none: its smoke is written by --vtk, --vdb and --raw" \
    run still.json --quiet --ply empty
printf '{"fluids": [{"name": "water"}]}' >dry.json
expect 2 "" "--ply writes particles, but the scene has none and nothing emits any" run dry.json --quiet --ply empty
expect 2 "" "--vtk writes particles and smoke, but the scene has neither" run dry.json --quiet --vtk empty
expect 2 "" "--vdb writes smoke, but the scene has none" run drop --quiet --vdb empty
expect_that "what is refused makes no folder" test ! -e empty
echo kept >old.csv
expect 2 "" "no-folder/v.mp4" run drop --quiet --stats old.csv --video no-folder/v.mp4
expect_that "a run that is refused leaves files alone" test "$(cat old.csv)" = kept
expect 2 "" "no-folder/s.csv" run drop --quiet --stats no-folder/s.csv
expect 2 "" "old.csv" run drop --quiet --png old.csv
expect_that "nothing half made is left" test -z "$(find . -name '*.part')"

# a full disk
expect 1 "" "No space left" run drop --quiet --stats /dev/full
"$program" params >/dev/full 2>err
expect_that "a full stdout is an error" test $? -eq 1
# a limit of file sizes acts like a disk that fills up, for every output
mkdir full
for output in "--video full/v.mp4" "--png full/png" "--ply full/ply" "--vtk full/vtk" "--stats full/s.csv"; do
    case $output in --video*) command -v ffmpeg >/dev/null || continue ;; esac
    # shellcheck disable=SC2086 # words are wanted
    (ulimit -f 1 && exec "$program" run drop --quiet --size 320x240 $output) >said 2>&1
    expect_that "a full disk ends with 1: $output" test $? -eq 1
    expect_that "a full disk is named: $output" grep -q "cannot write full/" said
done
expect_that "a full disk leaves no half file" test -z "$(find full -type f ! -name particles.pvd)"

# places that cannot be written to: refused before the run
long=$(printf '%0300d' 0)
for output in --video --png --ply --vtk --stats; do
    expect 2 "" "File name too long" run drop --quiet $output "$long.mp4"
    expect 2 "" "Not a directory" run drop --quiet $output old.csv/x.mp4
done
mkdir folder.mp4
for output in --video --stats; do
    expect 2 "" "cannot write folder.mp4: Is a directory" run drop --quiet $output folder.mp4
done
for output in --png --ply --vtk; do
    expect 2 "" "cannot make the directory old.csv: Not a directory" run drop --quiet $output old.csv
done
expect_that "what was there is still there" test "$(cat old.csv)" = kept
if [ "$(id -u)" -ne 0 ]; then # no folder is read-only for root
    mkdir -m 555 locked
    for output in --video --png --ply --vtk --stats; do
        expect 2 "" "Permission denied" run drop --quiet $output locked/x.mp4
    done
fi

for command in --help "run --help" "validate --list" "validate sph-momentum --json"; do
    # shellcheck disable=SC2086
    "$program" $command >/dev/full 2>err
    expect_that "a full stdout is an error: $command" test $? -eq 1
done

# an unstable run fails with 1, also where sides keep everything finite
expect 1 "" "above the stable limit" run drop --quiet --set world.dt=0.1 --seconds 100 --set sph.sideRestitution=1
expect 1 "" "above the stable limit" run drop --quiet --set world.dt=0.1 --seconds 1 --set sph.sideRestitution=1 --set sph.soundSpeed=500

# Ctrl-C ends after the step, with whole files; SIGTERM does the same
for signal in INT TERM; do
    # sh makes background jobs ignore SIGINT: the program sets its own handler
    "$program" run drop --quiet --seconds 100000 --stats stopped.csv >out 2>err &
    child=$!
    sleep 1
    kill -$signal $child
    wait $child
    got=$?
    expect_that "SIG$signal ends with 130, not $got" test $got -eq 130
    expect_that "SIG$signal leaves a whole file" test -s stopped.csv
    rm -f stopped.csv
done

# checkpoints: a run in two parts ends as one that was not stopped
result() { grep -o '[0-9.]* s in [0-9]* steps' "$1" && grep -o 'hash [0-9a-f]*' "$1"; }
sed 's/"output"/"script": [{"at": 0.02, "set": "sph.viscosity", "value": 5}, {"at": 0.05, "set": "world.gravity", "value": [0, 5]}], "output"/' \
    scenes/drop.json >script.json
for scene in drop script.json; do
    "$program" run $scene --quiet >whole
    expect 0 "made c" "" run $scene --quiet --seconds 0.03 --save c
    expect 0 "made c" "" run $scene --quiet --seconds 0.07 --resume c --save c --threads 1
    "$program" run $scene --quiet --resume c --ply later >parts
    expect_that "$scene in parts ends as the whole" test "$(result parts)" = "$(result whole)"
    expect_that "only later frames are written, with their numbers" \
        test "$(cd later && echo *)" = "particles_000004.ply particles_000005.ply"
done
"$program" run drop --quiet --set-at 0.05:sph.viscosity=5 --set sph.soundSpeed=15 >whole
"$program" run drop --quiet --set-at 0.05:sph.viscosity=5 --set sph.soundSpeed=15 --frames 1 --save c >part
"$program" run drop --quiet --set-at 0.05:sph.viscosity=5 --set sph.soundSpeed=15 --frames 5 --resume c >parts
expect_that "--set and --set-at may be given again" test "$(result parts)" = "$(result whole)"
"$program" run drop --quiet --set sph.viscosity=5 --resume c >parts
expect_that "--set changes a resumed world" test "$(result parts)" != "$(result whole)"
expect 2 "" "sph.spacing is fixed when the world is made; the checkpoint has 0.1" run drop --resume c --set sph.spacing=0.05
expect 0 "0.02 s in 20 steps" "c holds the state at 0.02 s, this run ends at 0.01 s" run drop --quiet --resume c --seconds 0.01
expect 0 "5 frames" "" run drop --quiet --resume c --stats later.csv
expect_that "statistics go on with the next frame" test "$(cut -d, -f1 later.csv | tr '\n' ' ')" = "frame 2 3 4 5 "
sed 's/"output"/"emitters": [{"name": "jet", "position": [0.9, 0.1], "direction": [0, 1]}], "drains": [{"name": "inlet", "min": [0, 0], "max": [1, 0.3], "emitter": "jet", "delay": 0.02}], "output"/' \
    scenes/drop.json >pump.json
"$program" run pump.json --quiet --set jet.velocity=3 --set-at 0.05:inlet.rate=99 >whole
"$program" run pump.json --quiet --set jet.velocity=3 --set-at 0.05:inlet.rate=99 --frames 3 --save p >part
"$program" run pump.json --quiet --set jet.velocity=3 --set-at 0.05:inlet.rate=99 --resume p >parts
expect_that "a pump in parts ends as the whole" test "$(result parts)" = "$(result whole)"
"$program" run pump.json --quiet --resume p --set jet.velocity=1 >parts
expect_that "--set changes an object of a resumed world" test "$(result parts)" != "$(result whole)"
expect 0 "emitter    jet" "" check pump.json
expect 2 "" 'unknown section or object "jets"; did you mean "jet"?' run pump.json --set jets.velocity=3
expect 2 "" "jet.velocity is -3, allowed is 0 to 1e+06 m/s" run pump.json --set jet.velocity=-3
expect 2 "" 'emitter "jet" reaches to x = 8.95' run pump.json --set jet.position=9,9
expect 2 "" "it has 0 emitters, the scene has 1" run pump.json --resume c
expect 2 "" "later.csv is there, and a resumed run writes only what comes later" run drop --resume c --stats later.csv
expect 2 "" "vtk/particles.pvd is there" run drop --resume c --vtk vtk
expect 0 "made airvtk" "" run vortices.json --frames 1 --vtk airvtk --save airc --quiet
expect 2 "" "airvtk/air.pvd is there" run vortices.json --frames 2 --resume airc --vtk airvtk
expect 0 "made c" "" run drop --quiet --save c --save-every 0.03
expect_that "nothing is left beside a checkpoint" test -z "$(find . -name "c.*part")"

# soft bodies: sides that move, a run in two parts, and the comparison of solvers
cat >scenes/ball.json <<'END'
{
  "title": "Ball", "world": {"seconds": 0.5, "dt": 0.01}, "pbd": {"radius": 0.05, "iterations": 2},
  "domain": {"min": [-1, 0, -1], "max": [1, 2, 1]},
  "softBodies": [{"name": "ball", "shape": "sphere", "radius": 0.4, "count": 57, "position": [0, 0.5, 0]}],
  "script": [{"at": 0.1, "set": "domain.max", "value": [1, 0.6, 1]}],
  "output": {"fps": 50, "size": [64, 48]}
}
END
expect 0 "soft body  ball: 57 particles, 1596 constraints" "" check ball
"$program" run ball --quiet --ply plys --stats ball.csv >whole
expect_that "a ball's phases are timed" grep -q ms_pbd_constraints ball.csv
expect_that "a ball is written" grep -q "element vertex 57" plys/particles_000000.ply
expect 0 "made b" "" run ball --quiet --seconds 0.3 --save b
"$program" run ball --quiet --resume b >parts
expect_that "a ball in parts ends as the whole" test "$(result parts)" = "$(result whole)"
expect 1 "" "domain.max: the domain is 0.001 m long in x" run drop --quiet --set-at 0.01:domain.max=0.001,1
expect 2 "" "domain.front: 2 dimensions have no such side" run drop --quiet --set domain.front=open
sed 's/"max": \[1, 1\]/"max": [1, 1], "left": "open", "sides": {"left": {"type": "open"}}/' scenes/drop.json >twice.json
expect 2 "" "domain.left is also given by domain.sides.left.type" check twice.json
"$program" run drop --quiet --set-at 0.01:domain.max=0.8,1 --set-at 0.05:domain.left=open >whole
expect 0 "made d" "" run drop --quiet --seconds 0.06 --save d --set-at 0.01:domain.max=0.8,1 --set-at 0.05:domain.left=open
"$program" run drop --quiet --resume d --set-at 0.01:domain.max=0.8,1 --set-at 0.05:domain.left=open >parts
expect_that "a box that is pressed in parts ends as the whole" test "$(result parts)" = "$(result whole)"
"$program" run drop --quiet --resume d --set domain.max=0.9,1 --set domain.left=noSlip >parts
expect_that "--set moves the sides of a resumed world" test "$(result parts)" != "$(result whole)"
expect 2 "" "domain.left is \"periodic\"" run drop --quiet --set-at 0.01:domain.left=periodic
expect 2 "" "domain.left is \"periodic\"" run drop --quiet --set domain.left=periodic
expect 2 "" "ball.radius is fixed when the world is made" run ball --set-at 0.1:ball.radius=1
expect 2 "" "the scene has no soft bodies" analyze solvers drop
expect 2 "" "there are solvers and adaptive" analyze colours ball
expect 2 "" "which scene" analyze solvers
expect 2 "" "the scene has no adaptive fluid" analyze adaptive ball
expect 0 "| thesis | 3 | 523599 | 296149" "" analyze adaptive --plot plots --seconds 0
expect_that "curves of adaptive fluids are drawn" test -s plots/adaptive-pairs.svg -a -s plots/adaptive-neighbours.svg -a -s plots/adaptive-ball.svg
cat >deep.json <<'END'
{"world": {"dimensions": 2, "seconds": 0.1}, "domain": {"min": [0, 0], "max": [2, 4]}, "pbf": {"spacing": 0.1},
 "fluids": [{"name": "water", "solver": "pbf", "adaptive": {}, "blocks": [{"min": [0, 0], "max": [2, 3]}]}],
 "output": {"fps": 20, "size": [64, 48]}}
END
sed 's/\[2, 3\]/[2, 0.5]/' deep.json >puddle.json
expect 0 "adaptive   levels: radii grow by 0.08" "" check deep.json
expect 0 "adaptive   levels" 'of fluid "water" 80 % of the particles would be left' check puddle.json
sed 's/"adaptive": {}/"adaptive": {"method": "thesis"}/' puddle.json >thesis.json
expect 0 "kernels widen by 0.4" "above 70 %" check thesis.json
expect 0 '"particles_basic": 600' "" analyze adaptive deep.json --json --seconds 1 --png sizes
expect_that "both sizes are drawn side by side" test -s sizes/frame_000000.png
expect 0 '"name": "best-slope", "dim": 2' "" analyze adaptive --json
expect 0 "Jacobi by constraints" "" analyze solvers ball --plot plots --save-colouring colours.json
expect_that "curves are drawn" test -s plots/solvers-iterations.svg -a -s plots/solvers-ms.svg -a -s plots/solvers-run.svg
expect 0 '"solver": "jacobiParticles", "iterations": 80' "" analyze solvers ball --json --colouring colours.json
expect 0 '"solver": "uncoloured", "iterations": 100' "" analyze solvers ball --json
cp out solvers.json # it takes seconds
expect_that "numbers of sub-steps are compared" \
    grep -qF '"part": "steps", "iterations": 1, "subSteps": 20, "stretch": 1.00' solvers.json
expect_that "the scene is run with every solver" \
    grep -qF '"part": "scene", "solver": "jacobiConstraints", "iterations": 5' solvers.json
sed 's/"count": 57/"count": 33/' scenes/ball.json >other.json
expect 2 "" "colours.json has 1596 colours, but the scene has 528 constraints" analyze solvers other.json --colouring colours.json
sed 's/\[$/[ 7,/; s/, [0-9]*$//' colours.json | sed 's/"constraints": 1596/"constraints": 1/' >broken.json
expect 2 "" "broken.json" analyze solvers ball --colouring broken.json
expect 2 "" "drop.json is no colouring" analyze solvers ball --colouring scenes/drop.json

# checkpoints that are refused
expect 2 "" "--save F says where: give both" run drop --save-every 1
expect 2 "" "--save-every is" run drop --save c --save-every 0
expect 2 "" "cannot read none: No such file" run drop --resume none
expect 2 "" "cannot read scenes: Is a directory" run drop --resume scenes
expect 2 "" "cannot read /dev/null: it is a device or a pipe, not a file" run drop --resume /dev/null
expect 2 "" "old.csv: not a Wirbel checkpoint" run drop --resume old.csv
head -c 1000 c >part.bin
expect 2 "" "part.bin: damaged: it has 1000 bytes" run drop --resume part.bin
sed 's/"water"/"oil"/' scenes/drop.json >oil.json
expect 2 "" 'c is not a checkpoint of this scene: its fluid 0 is "water", the scene'"'"'s is "oil"' run oil.json --resume c
sed 's/"max": \[1, 1\]/"max": [1, 2]/' scenes/drop.json >tall.json
expect 2 "" 'its domain ends at 1 on the side "top"' run tall.json --resume c
expect 2 "" "no-folder/c" run drop --save no-folder/c
expect 2 "" "--save and --stats both name c: give each a file of its own" run drop --save c --stats c
expect 2 "" "--stats and --video both name new.mp4" run drop --stats new.mp4 --video new.mp4
expect 2 "" "--save and --stats both name c: give each a file of its own" run drop --save c --stats ./c
expect 2 "" "--save and --stats both name new: give each a file of its own" run drop --save new --stats "$PWD/new"
expect 1 "" "No space left" run drop --quiet --save /dev/full
expect_that "what was refused is left alone" test "$(head -c 1000 c | cmp - part.bin)" = ""

# an unstable run keeps the last good one
expect 0 "made u" "" run drop --quiet --seconds 0.05 --save u
cp u before
expect 1 "" "the checkpoint u holds the state at 0.05 s" \
    run drop --quiet --resume u --save u --set world.dt=0.1 --set sph.sideRestitution=1 --seconds 100
expect_that "the good checkpoint is as it was" cmp u before

# Ctrl-C writes it; killed at any moment, also while it is written, the old one or the new one is there
"$program" run drop --quiet --seconds 100000 --save stopped >whole 2>err &
child=$!
sleep 0.3
kill -INT $child
wait $child
expect_that "Ctrl-C with a checkpoint ends with 130" test $? -eq 130
"$program" run drop --quiet --resume stopped --seconds 0 >parts 2>err
expect_that "Ctrl-C writes the checkpoint" test "$(result parts)" = "$(result whole)"
fine="--quiet --set sph.spacing=0.004 --set world.dt=1e-4"
# shellcheck disable=SC2086 # words are wanted
"$program" run drop $fine --save killed --seconds 0 >out
for delay in 0.09 0.10 0.11 0.12 0.13 0.15 0.17 0.19; do
    # shellcheck disable=SC2086
    "$program" run drop $fine --resume killed --save killed --save-every 1e-9 --seconds 100 >out 2>err &
    child=$!
    sleep $delay
    kill -KILL $child
    wait $child 2>killedBy
    # shellcheck disable=SC2086
    expect 0 "hash" "killed holds the state" run drop $fine --resume killed --seconds 0
done
cp out parts
seconds=$(grep -o '[0-9.]* s in' parts | cut -d' ' -f1)
# shellcheck disable=SC2086
"$program" run drop $fine --seconds "$seconds" >whole
expect_that "after all kills it is the state of a run that was not stopped" test "$(result parts)" = "$(result whole)"

# smoke
cat >smoke.json <<'END'
{
  "title": "Smoke", "description": "a test",
  "world": {"seconds": 0.2},
  "domain": {"min": [0, 0, 0], "max": [1, 1, 0.5], "sides": {"top": {"type": "open"}}},
  "smoke": {"cellSize": 0.05},
  "sources": [{"name": "fire", "position": [0.5, 0.2, 0.25], "temperature": 50}],
  "colliders": [{"name": "ball", "shape": "sphere", "radius": 0.1, "position": [0.5, 0.6, 0.25]}],
  "output": {"fps": 20}
}
END
expect 0 "20 x 20 x 10 cells of 0.05 m" "" check smoke.json
expect 0 "4000 cells" "4000 cells" run smoke.json --stats smoke.csv --set-at 0.1:fire.velocity=0,2,0
# shellcheck disable=SC2016 # the dollars are awk's
expect_that "smoke has a mass and a divergence" awk -F, '{ ok = $4 > 0 && $12 > 0 } END { exit !ok }' smoke.csv
"$program" run smoke.json --quiet >whole
expect 0 "made c" "" run smoke.json --quiet --frames 2 --save c
"$program" run smoke.json --quiet --resume c >parts
expect_that "smoke in parts ends as the whole" test "$(result parts)" = "$(result whole)"
sed '/"smoke"/d; /"sources"/d' smoke.json >clear.json
expect 2 "" "is not a checkpoint of this scene: it has smoke, the scene has none" run clear.json --resume c
expect 2 "" "unknown parameter \"velocit\" in \"fire\"; did you mean \"velocity\"?" run smoke.json --set fire.velocit=1
expect 2 "" "the scene has no smoke" run drop --set smoke.wind=1,0
expect 1 "" "unstable at step" run smoke.json --quiet --set world.dt=10 --set smoke.wind=1e6,0,0 --set smoke.confinement=1000 --seconds 5000

# recordings and settings
expect 0 "hash" "" run drop --quiet --seconds 0.12 --set sph.viscosity=0.2 --set-at 0.05:world.gravity=0,5 --record r.json --threads 1
cp out whole
expect 0 "hash" "" run --replay r.json --quiet --threads 3
expect_that "a recording ends as the run" test "$(result out)" = "$(result whole)"
expect 2 "" "leave out --set" run --replay r.json --set sph.viscosity=1
sed 's/"step": 100, "hash": "....../"step": 100, "hash": "000000/' r.json >other.json
expect 1 "" "step 100 (0.1 s) differs from the recording; steps up to 0 are the same" run --replay other.json --quiet
sed 's/"value": "0.2"/"value": "x"/' r.json >other.json
expect 2 "" "other.json:6:39: sph.viscosity is \"x\"" run --replay other.json
expect 2 "" "--settings: other.json:6:39" run drop --settings other.json
sed 's/"sceneHash": "....../"sceneHash": "000000/' r.json >other.json
expect 2 "" "was recorded with another text of its scene" run --replay other.json
expect 2 "" "cannot read none.json" run --replay none.json
expect 0 "hash" "" run drop --quiet --seconds 0.12 --settings r.json --set-at 0.05:world.gravity=0,5
expect_that "settings of a file are those of --set" test "$(result out)" = "$(result whole)"

# a recording that begins with a checkpoint, with what --set changes there; another file of that name is refused
expect 0 "made c" "" run drop --quiet --seconds 0.03 --save c --threads 1
expect 0 "hash" "" run drop --quiet --resume c --seconds 0.12 --set sph.viscosity=0.2 --set-at 0.05:world.gravity=0,5 --record r.json
cp out whole
expect 0 "hash" "" run --replay r.json --quiet --threads 3
expect_that "a recording from a checkpoint ends as the run" test "$(result out)" = "$(result whole)"
expect 2 "" "--save would overwrite c, which this run reads" run --replay r.json --save c
expect 2 "" "--save would overwrite c, which this run reads" run drop --resume c --record other.json --save c
expect 0 "made c" "" run drop --quiet --seconds 0.02 --save c
expect 2 "" "the checkpoint c is not the one that was recorded from" run --replay r.json
rm c
expect 2 "" "r.json begins with the checkpoint c, which is neither here nor beside it" run --replay r.json

# bench and validate
expect 0 "sph-block-4096-euler-plain" "" bench --list
expect 2 "" "did you mean" bench neighbours-3276
expect 0 "hydrostatic" "" validate --list
expect 2 "" "no-folder/v.md" validate --markdown no-folder/v.md
expect 2 "" "--backend gpu: must be cpu" bench --backend gpu
expect 2 "" "gpu-sort-32768-counting sorts on a compute device" bench gpu-sort-32768-counting --backend cpu --json

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
