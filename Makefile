# The front door: each target calls a script or CMake. The build itself is CMakeLists.txt with CMakePresets.json.
.DEFAULT_GOAL := help
.PHONY: help demo view check build validate check-asan check-tsan check-opencl check-view fuzz soak gallery pictures bench water-table gpu-report docs install format clean
PREFIX ?= /usr/local
# drivers are not instrumented: the sanitizers would report on them
NO_OPENCL := OCL_ICD_VENDORS=/nonexistent

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: ## install what is missing, build, and show the channel and the machine: in windows, or without a display as films in out/
	@scripts/install-deps build demo
	@scripts/build release wirbel_app
	@scripts/demo

view: ## install what is missing, build, and open the window: SCENE=channel, or the list of scenes
	@scripts/install-deps build demo view
	@scripts/build release wirbel_app wirbel_view
	@build/wirbel view $(SCENE)

check: ## install what is missing, build with gcc and clang, run all tests
	@scripts/install-deps build check demo docs opencl python view view-tests
	@scripts/check

build: ## leaves build/wirbel
	@scripts/install-deps build
	@scripts/build release

validate: build ## run every validation row and write docs/validation.md
	@scripts/validate

check-asan: ## the tests under the address and undefined-behaviour sanitizers
	@scripts/install-deps build check demo sanitizer
	@scripts/build asan
	@$(NO_OPENCL) ASAN_OPTIONS=allocator_may_return_null=1 ctest --test-dir build/asan -LE opencl --output-on-failure

check-tsan: ## the tests under the thread sanitizer
	@scripts/install-deps build check demo sanitizer view view-tests
	@scripts/build tsan
	@$(NO_OPENCL) TSAN_OPTIONS="allocator_may_return_null=1 suppressions=$(CURDIR)/scripts/tsan-suppressions.txt" \
		ctest --test-dir build/tsan -LE opencl --output-on-failure

check-opencl: ## the tests on compute devices, with every number of lanes and every size of groups
	@scripts/install-deps build check demo opencl
	@scripts/build release
	@WIRBEL_ALL_SHAPES=1 WIRBEL_NEED_OPENCL=1 ctest --test-dir build -L opencl --output-on-failure

check-view: ## all tests of the window, under Xvfb
	@scripts/install-deps build check demo view view-tests
	@scripts/build release
	@ctest --test-dir build -C long -L view --output-on-failure

fuzz: ## fuzz scenes, worlds of all kinds, settings, recordings, checkpoints and meshes for FUZZ_SECONDS each (600)
	@scripts/install-deps build check sanitizer
	@scripts/build fuzz fuzz_targets
	@$(NO_OPENCL) scripts/fuzz

soak: build ## 30 simulated minutes of a pipe and a box, SOAK_SECONDS (1800) of them: out/soak.txt
	@scripts/soak

pictures: build ## render the pictures of docs/scenes.md
	@scripts/install-deps build demo
	@scripts/pictures

gallery: build ## film every scene: out/gallery/
	@scripts/install-deps build demo
	@scripts/gallery

bench: build ## run all benchmarks
	@scripts/install-deps opencl
	@build/wirbel bench $$(build/wirbel bench --list | awk '!/ a table: / { print $$1 }')

water-table: build ## measure this machine and write the tables of docs/water.md
	@scripts/install-deps opencl
	@scripts/water-table

gpu-report: build ## compare the cores with a compute device (DEVICE=N): out/gpu-report.md
	@scripts/install-deps opencl
	@scripts/gpu-report $(DEVICE)

docs: ## the reference of the public headers: build/docs/index.html
	@scripts/install-deps docs
	@doxygen docs/Doxyfile
	@echo "build/docs/index.html"

install: build ## install into PREFIX (default /usr/local)
	@cmake --install build --prefix "$(PREFIX)"
	@if [ "$$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

format: ## lay out all C and Python files
	@scripts/install-deps check
	@scripts/format

clean: ## remove what was built and made
	rm -rf build out
