# SPDX-License-Identifier: GPL-3.0-or-later
#
# make          build build/auditopt
# make demo     install what is missing, build, run the main job on a shipped set
# make gain     what optimizing buys on each shipped set, counted in the lab
# make bench-check  what `auditopt check' itself costs
# make check    install what the tests need, build, run every test
# make soak     the random tests for as long as SOAK_RUNS says
# make fuzz     the random tests alone, under sanitizers
# make lint     clang, cppcheck
# make install  to $(DESTDIR)$(PREFIX)
# make deps     packages, and the kernel and auditctl for the lab

VERSION := 0.1.0
PREFIX ?= /usr/local
CC ?= cc
B ?= build
LAB ?= $(CURDIR)/build/lab
FUZZ_RUNS ?= 20000
SEED ?= 1
CORPUS ?= ../shared/corpus
FUZZ_FILES = $(sort $(wildcard rules/*.rules rules/examples/*.rules $(CORPUS)/rules/*.rules))
SOAK_RUNS ?= 2000000
DEMO_SET ?= rules/pci-dss-v3.1.rules

ifeq ($(V),)
Q := @
say = @printf '  %-4s %s\n' $(1) $(2)
endif

PKGS := audit libarchive jansson libmd
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS ?= -O2 -g
LDFLAGS ?= -Wl,--as-needed
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
# libarchive is opened when an image is made, not linked: what it brings along would be started with every program in the guest
PKG_LIBS = $(shell pkg-config --libs $(filter-out libarchive,$(PKGS)))
# where the lab looks besides AUDITOPT_LAB_DIR of the environment: the build's own, or the installed one
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(PKG_CFLAGS) -Isrc -I. \
	-DAUDITOPT_VERSION='"$(VERSION)"' -DAUDITOPT_LAB_DIR='"$(LAB)"'
SAN := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

LIB_SRC := $(sort $(wildcard src/*/*.c) $(wildcard bench/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
CORE_OBJ := $(filter-out $(B)/src/cmd/%,$(LIB_OBJ))
UNIT := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/unit/test_*.c)))
GUEST := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/kernel/test_*.c)))
FUZZ := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

TEST_ENV = AUDITOPT_MUST=1 AUDITOPT=$(abspath $(B)/auditopt) AUDITOPT_AUDITCTL=$(LAB)/auditctl AUDITOPT_CORPUS=$(abspath $(CORPUS)) \
	AUDITOPT_SARIF_SCHEMA=$(LAB)/sarif-2.1.0.json CC=$(CC)

all: $(B)/auditopt

$(B)/auditopt: $(B)/src/main.o $(LIB_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(B)/libcore.a: $(CORE_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/%: $(B)/tests/%.o $(B)/libcore.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs cmocka) $(PKG_LIBS) -lm

# embedded by .incbin, which -MMD does not see
$(B)/src/cost/builtin.o: $(wildcard bench/calibration/*.json)

# objects of the tests stay for the next build
.SECONDARY:
-include $(LIB_OBJ:.o=.d) $(B)/src/main.d $(UNIT:=.d) $(GUEST:=.d) $(FUZZ:=.d)

# ---- what is needed ------------------------------------------------------------------------------------------------

deps:
	$(Q).ci/deps build
	$(Q)src/lab/deps.sh $(LAB)

check-deps:
	$(Q).ci/deps build check
	$(Q)src/lab/deps.sh $(LAB)
	$(Q)tests/lib/sarif-schema $(LAB)/sarif-2.1.0.json

# ---- running it ------------------------------------------------------------------------------------------------------

# The second make sees the packages that the first one installed.
demo: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)mkdir -p build/demo
	$(B)/auditopt optimize $(DEMO_SET) --verify -o build/demo/reduced.rules --json build/demo/report.json

gain: deps
	$(Q)$(MAKE) --no-print-directory all
	$(Q)AUDITOPT=$(B)/auditopt bench/gain

bench-check: $(B)/auditopt
	$(Q)AUDITOPT=$(B)/auditopt bench/check $(sort $(wildcard rules/*.rules)) $$(ls -S $(CORPUS)/rules/*.rules | head -n 1)

check: check-deps
	$(Q)$(MAKE) --no-print-directory check-unit check-cli check-guest fuzz

check-unit: $(UNIT)
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP AUDITOPT_MUST=1 prove --timer --exec '' $(UNIT)

check-cli: $(B)/auditopt
	$(Q)$(TEST_ENV) prove --timer tests/cli

check-guest: $(B)/auditopt $(GUEST)
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP $(TEST_ENV) prove --timer --exec '' $(GUEST)
	$(Q)$(TEST_ENV) prove --timer tests/kernel

# A build of its own, under sanitizers: the unit tests again, then the random ones, with fixed seeds.
fuzz:
	$(Q)$(MAKE) --no-print-directory B=build/san CFLAGS="$(SAN)" check-unit fuzz-run FUZZ_RUNS=$(FUZZ_RUNS)

fuzz-run: $(FUZZ)
	$(Q)for f in $(FUZZ); do echo "$$f $(FUZZ_RUNS) $(SEED)"; $$f $(FUZZ_RUNS) $(SEED) $(FUZZ_FILES) || exit 1; done

soak: check-deps
	$(Q)$(MAKE) --no-print-directory fuzz FUZZ_RUNS=$(SOAK_RUNS)

lint:
	$(Q)$(MAKE) --no-print-directory B=build/clang CC=clang all
	cppcheck --quiet --std=c11 --inline-suppr --enable=warning,portability --error-exitcode=1 -Isrc -I. \
		-D_GNU_SOURCE --suppress=missingIncludeSystem src bench

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/auditopt/rules
	install -m 755 $(B)/auditopt $(DESTDIR)$(PREFIX)/bin/auditopt
	install -m 644 rules/*.rules $(DESTDIR)$(PREFIX)/share/auditopt/rules

clean:
	rm -rf build

.PHONY: all gain bench-check deps check-deps demo check check-unit check-cli check-guest fuzz fuzz-run soak lint install clean
