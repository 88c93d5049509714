# SPDX-License-Identifier: GPL-3.0-or-later
#
# make          build build/auditopt
# make demo     install what is missing, build, run the main job on a shipped set
# make check    install what the tests need, build, run every test
# make soak     a longer run of the random and fuzz tests
# make fuzz     the fuzzers alone, under sanitizers
# make install  to $(DESTDIR)$(PREFIX)
# make deps     packages, and the kernel and auditctl for the lab

VERSION := 0.1.0
PREFIX ?= /usr/local
CC ?= cc
B ?= build
LAB := $(abspath build/lab)

PKGS := audit libarchive jansson libmd
WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS ?= -O2 -g
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS))
PKG_LIBS = $(shell pkg-config --libs $(PKGS))
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(PKG_CFLAGS) -Isrc -I. \
	-DAUDITOPT_VERSION='"$(VERSION)"' -DAUDITOPT_LAB_DIR='"$(LAB)"'

LIB_SRC := $(sort $(filter-out src/main.c,$(wildcard src/*/*.c)) $(wildcard bench/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)

all: $(B)/auditopt

$(B)/auditopt: $(B)/src/main.o $(LIB_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

-include $(LIB_OBJ:.o=.d) $(B)/src/main.d

clean:
	rm -rf build

.PHONY: all clean
