/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "generate.h"

#include "lang/lang.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { USES = 512 };

struct gen {
	uint64_t state;
	unsigned rows[USES], fields[USES], damages[USES];
};

/* ---- chance ---------------------------------------------------------------------------------------- */

static uint64_t next(struct gen *g) /* splitmix64: any seed will do */
{
	uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

unsigned gen_below(struct gen *g, unsigned n)
{
	return (unsigned)(next(g) % n);
}

static bool chance(struct gen *g, unsigned percent)
{
	return gen_below(g, 100) < percent;
}

/* ---- the grammar: {name} is another symbol or a builtin, all else stands for itself ----------------- */

struct production {
	const char *symbol;
	unsigned weight;
	const char *text;
};

/* clang-format off */
static const struct production grammar[] = {
	{"line", 50, "{exit-rule}"}, {"line", 5, "{task-rule}"}, {"line", 6, "{user-rule}"}, {"line", 7, "{exclude-rule}"},
	{"line", 5, "{filesystem-rule}"}, {"line", 20, "{watch}"}, {"line", 8, "{settings}"}, {"line", 7, "{single}"},
	{"line", 2, "#{text}"}, {"line", 1, "   # {text}"}, {"line", 1, ""}, {"line", 1, "   "}, {"line", 5, "{limit}"},
	{"line", 6, "{odd}"}, {"line", 1, "{word} {word} {word}"},

	/* rules of each list */
	{"exit-rule", 10, "{add}{exit-action}{calls}{exit-fields}{key}"},
	{"exit-rule", 3, "{add}{exit-action}{calls}{exit-fields}{file}{perm}{key}"},
	{"exit-rule", 1, "-S {list64} {add}{exit-action}{exit-fields}{key}"},
	{"task-rule", 4, "{add}{task-action}{task-fields}"}, {"task-rule", 1, "{add}{task-action} -F exe={path}{key}"},
	{"task-rule", 1, "{add}{task-action}"}, {"task-rule", 1, "-S {list64} {add}{task-action}{task-fields}"},
	{"task-rule", 1, "{add}{task-action} -S {list64}"},
	{"user-rule", 4, "{add}{user-action}{user-fields}"}, {"user-rule", 1, "{add}{user-action} -F exe={path}{key}"},
	{"user-rule", 1, "-S {list64} {add}{user-action}{user-fields}"}, {"user-rule", 1, "{add}{user-action} -S {list64}"},
	{"exclude-rule", 6, "{add}{exclude-action}{exclude-fields}"}, {"exclude-rule", 1, "{add}{exclude-action} -S {list64}"},
	{"exclude-rule", 1, "-S {list64} {add}{exclude-action}{exclude-fields}"},
	{"exclude-rule", 1, "{add}{exclude-action}{exclude-fields}{key}"},
	{"filesystem-rule", 5, "{add}{filesystem-action} -F fstype{equal}{fstype}{filesystem-fields}"},
	{"filesystem-rule", 2, "{add}{filesystem-action} -F fstype={fstype}{key}"},
	{"filesystem-rule", 1, "{add}{filesystem-action} -S {list64}"},

	{"add", 60, "-a "}, {"add", 12, "-A "}, {"add", 10, "-d "}, {"add", 3, "-a"}, {"add", 1, "-A"}, {"add", 1, "-d"},
	{"exit-action", 9, "always,exit"}, {"exit-action", 5, "exit,always"}, {"exit-action", 3, "never,exit"},
	{"exit-action", 3, "exit,never"}, {"exit-action", 1, "exit,possible"}, {"exit-action", 1, "{any-action}"},
	{"task-action", 4, "task,always"}, {"task-action", 4, "never,task"}, {"task-action", 1, "task,possible"},
	{"user-action", 4, "user,always"}, {"user-action", 4, "never,user"},
	{"exclude-action", 4, "always,exclude"}, {"exclude-action", 4, "exclude,never"},
	{"filesystem-action", 4, "never,filesystem"}, {"filesystem-action", 4, "filesystem,always"},
	{"any-action", 3, "{list-word},{list-word}"}, {"any-action", 1, "{list-word}"}, {"any-action", 1, "{list-word},{list-word},"},
	{"any-action", 1, ",{list-word}"}, {"any-action", 1, "{list-word}, {list-word}"},
	{"list-word", 1, "exit"}, {"list-word", 1, "task"}, {"list-word", 1, "user"}, {"list-word", 1, "exclude"},
	{"list-word", 1, "filesystem"}, {"list-word", 1, "entry"}, {"list-word", 1, "watch"}, {"list-word", 1, "io_uring"},
	{"list-word", 3, "always"}, {"list-word", 3, "never"}, {"list-word", 1, "possible"}, {"list-word", 1, "Always"},
	{"list-word", 1, ""},

	/* system calls */
	{"calls", 26, " -F arch=b64{calls64}"}, {"calls", 14, " -F arch=b32{calls32}"}, {"calls", 10, "{calls64}"},
	{"calls", 5, " -F arch{equal}{machine} -S {number-list}"}, {"calls", 10, ""}, {"calls", 3, " -F arch=b64 -F uid=0{calls64}"},
	{"calls", 2, "{calls64} -F arch=b64"}, {"calls", 2, " -F arch=b32 -F arch=b64{calls64}"}, {"calls", 1, " -F arch=b64 -S {list32}"},
	{"calls", 1, " -F arch={machine}{calls64}"},
	{"calls64", 8, " -S {list64}"}, {"calls64", 2, " -S {list64}{calls64}"}, {"calls64", 1, " -S{list64}"}, {"calls64", 2, " -S all"},
	{"calls64", 1, ""},
	{"calls32", 8, " -S {list32}"}, {"calls32", 2, " -S {list32}{calls32}"}, {"calls32", 1, " -S all"},
	{"list64", 8, "{call64}"}, {"list64", 5, "{call64},{list64}"}, {"list64", 1, "{number-list}"}, {"list64", 1, ",{call64}"},
	{"list64", 1, "{call64},"}, {"list64", 1, "{call64},,{call64}"}, {"list64", 1, "all,{call64}"},
	{"list32", 8, "{call32}"}, {"list32", 5, "{call32},{list32}"}, {"list32", 1, "{number-list}"},
	{"number-list", 6, "{call-number}"}, {"number-list", 3, "{call-number},{number-list}"}, {"number-list", 1, "{number}"},
	{"number-list", 1, ","}, {"number-list", 1, "ALL"}, {"number-list", 1, "no_such_call"}, {"number-list", 1, "-1"},
	{"call-number", 8, "{below-500}"}, {"call-number", 1, "0x{hex}"}, {"call-number", 1, "0{octal}"}, {"call-number", 1, "{below-500}x"},
	{"call-number", 1, "2047"}, {"call-number", 1, "2048"}, {"call-number", 1, "2040"},

	{"machine", 3, "b64"}, {"machine", 3, "b32"}, {"machine", 1, "B64"}, {"machine", 1, "x86_64"}, {"machine", 1, "i386"},
	{"machine", 1, "i486"}, {"machine", 1, "i586"}, {"machine", 1, "i686"}, {"machine", 1, "I386"}, {"machine", 1, "aarch64"},
	{"machine", 1, "arm"}, {"machine", 1, "armeb"}, {"machine", 1, "armv5tejl"}, {"machine", 1, "armv5tel"}, {"machine", 1, "armv6l"},
	{"machine", 1, "armv7l"}, {"machine", 1, "armv8l"}, {"machine", 1, "ppc"}, {"machine", 1, "ppc64"}, {"machine", 1, "ppc64le"},
	{"machine", 1, "s390"}, {"machine", 1, "s390x"}, {"machine", 1, "ia64"}, {"machine", 1, "alpha"}, {"machine", 1, "riscv64"},
	{"machine", 1, "0xc000003e"}, {"machine", 1, "c000003e"}, {"machine", 1, "3221225534"}, {"machine", 1, "40000003"},
	{"machine", 1, "0x40000003"}, {"machine", 1, "{number}"}, {"machine", 1, "uring"}, {"machine", 1, "b640"},

	/* fields: the builtin makes NAME OPERATOR VALUE for the list */
	{"exit-fields", 10, ""}, {"exit-fields", 8, " -F {exit-field}{exit-fields}"}, {"exit-fields", 1, " -F{exit-field}{exit-fields}"},
	{"exit-fields", 2, " -C {compare}{exit-fields}"}, {"exit-fields", 1, " -F key={key-text}{exit-fields}"},
	{"exit-fields", 1, " -F {any-field}{exit-fields}"},
	{"task-fields", 8, ""}, {"task-fields", 8, " -F {task-field}{task-fields}"}, {"task-fields", 1, " -F {any-field}"},
	{"user-fields", 8, ""}, {"user-fields", 8, " -F {user-field}{user-fields}"}, {"user-fields", 1, " -F {any-field}"},
	{"exclude-fields", 9, " -F msgtype={msgtype}"}, {"exclude-fields", 8, " -F {exclude-field}{exclude-fields}"},
	{"exclude-fields", 1, " -F {any-field}"},
	{"filesystem-fields", 6, ""}, {"filesystem-fields", 2, " -F {filesystem-field}"}, {"filesystem-fields", 1, " -F {any-field}"},
	{"operator", 8, "="}, {"operator", 4, "!="}, {"operator", 2, "<"}, {"operator", 2, "<="}, {"operator", 2, ">"}, {"operator", 2, ">="},
	{"operator", 1, "&"}, {"operator", 1, "&="},
	{"bad-operator", 1, "=="}, {"bad-operator", 1, "=>"}, {"bad-operator", 1, ""}, {"bad-operator", 1, "!"}, {"bad-operator", 1, "=!="},
	{"equal", 6, "="}, {"equal", 4, "!="}, {"equal", 1, "{operator}"},
	{"bad-name", 1, "ses"}, {"bad-name", 1, "login"}, {"bad-name", 1, "comm"}, {"bad-name", 1, ""}, {"bad-name", 1, "uid "},
	{"bad-name", 1, "arch"}, {"bad-name", 1, "loginuid"}, {"bad-name", 1, "loginuid_set"}, {"bad-name", 1, "a4"},
	{"compare", 12, "{compare-user}{compare-operator}{compare-user}"}, {"compare", 6, "{compare-group}{compare-operator}{compare-group}"},
	{"compare", 1, "{compare-user}={compare-group}"}, {"compare", 1, "{compare-user}{compare-operator}"},
	{"compare", 1, "{compare-operator}{compare-user}"}, {"compare", 1, "{compare-user}"}, {"compare", 1, "uid{operator}pid"},
	{"compare", 1, "{bad-name}!=uid"}, {"compare", 1, "uid={bad-name}"}, {"compare", 1, "gid>egid"},
	{"compare-operator", 5, "="}, {"compare-operator", 5, "!="},
	{"compare-user", 2, "uid"}, {"compare-user", 2, "euid"}, {"compare-user", 2, "suid"}, {"compare-user", 2, "fsuid"},
	{"compare-user", 2, "auid"}, {"compare-user", 3, "obj_uid"}, {"compare-user", 1, "loginuid"}, {"compare-user", 1, "EUID"},
	{"compare-group", 2, "gid"}, {"compare-group", 2, "egid"}, {"compare-group", 2, "sgid"}, {"compare-group", 2, "fsgid"},
	{"compare-group", 3, "obj_gid"},

	/* values, by the kind of their field */
	{"number", 20, "{below-500}"}, {"number", 2, "0x{hex}"}, {"number", 2, "0{octal}"}, {"number", 2, "{big}"},
	{"number", 1, "{below-500}{word}"}, {"number", 1, "-{below-500}"}, {"number", 1, "08"}, {"number", 1, "0x"}, {"number", 1, "+5"},
	{"number", 1, "1e3"}, {"number", 1, "{word}"},
	{"uid", 14, "{number}"}, {"uid", 3, "root"}, {"uid", 2, "daemon"}, {"uid", 2, "nobody"}, {"uid", 3, "unset"}, {"uid", 2, "-1"},
	{"uid", 1, "no-such-user"}, {"uid", 1, "UNSET"}, {"uid", 1, "-root"}, {"uid", 1, "euid"},
	{"gid", 8, "{number}"}, {"gid", 3, "root"}, {"gid", 2, "daemon"}, {"gid", 2, "nogroup"}, {"gid", 1, "unset"}, {"gid", 1, "no-such-group"},
	{"errno", 4, "{number}"}, {"errno", 6, "-{errno-name}"}, {"errno", 3, "{errno-name}"}, {"errno", 1, "--{errno-name}"}, {"errno", 1, "ENOSUCH"},
	{"errno", 1, "-eperm"},
	{"msgtype", 3, "{number}"}, {"msgtype", 8, "{record-name}"}, {"msgtype", 1, "UNKNOWN[{below-500}]"}, {"msgtype", 1, "cwd"},
	{"msgtype", 1, "NO_SUCH"}, {"msgtype", 1, "UNKNOWN[x"},
	{"fstype", 5, "tracefs"}, {"fstype", 5, "debugfs"}, {"fstype", 3, "{number}"}, {"fstype", 1, "TraceFS"}, {"fstype", 1, "ext4"},
	{"fstype", 1, "4294967295"}, {"fstype", 1, "cgroup2"},
	{"filetype", 1, "file"}, {"filetype", 1, "dir"}, {"filetype", 1, "socket"}, {"filetype", 1, "link"}, {"filetype", 1, "character"},
	{"filetype", 1, "block"}, {"filetype", 1, "fifo"}, {"filetype", 1, "FIFO"}, {"filetype", 1, "1"}, {"filetype", 1, "pipe"},
	{"perm-text", 4, "wa"}, {"perm-text", 2, "r"}, {"perm-text", 2, "x"}, {"perm-text", 2, "rwxa"}, {"perm-text", 1, "WA"},
	{"perm-text", 1, "rrrr"}, {"perm-text", 1, "rwxar"}, {"perm-text", 1, "wq"}, {"perm-text", 1, "{word}"},
	{"saddr", 5, "{below-50}"}, {"saddr", 1, "{number}"}, {"saddr", 1, "inet"}, {"saddr", 1, "46"}, {"saddr", 1, "0xa"}, {"saddr", 1, "\\ 7"},
	{"session", 6, "{number}"}, {"session", 3, "unset"}, {"session", 1, "{word}"},
	{"pair-number", 1, "{below-50}"},
	{"label", 5, "{word}_t"}, {"label", 2, "s0:c1.c5"}, {"label", 1, "a\\ b"}, {"label", 1, "{long}"},
	{"path", 16, "/{word}/{word}"}, {"path", 3, "/etc/passwd"}, {"path", 3, "/etc"}, {"path", 2, "/usr/bin/"}, {"path", 1, "/"},
	{"path", 1, "//"}, {"path", 1, "///"}, {"path", 1, "/etc//"}, {"path", 1, "{word}"}, {"path", 1, "/{word}/../{word}"}, {"path", 1, "/tmp/*"},
	{"path", 1, "/with\\ space/{word}"}, {"path", 1, "/back\\\\slash"}, {"path", 1, "/a=b"}, {"path", 1, "/a>b"}, {"path", 1, "/a!=b"},
	{"path", 1, "/a>=b"}, {"path", 1, "/{name-255}"}, {"path", 1, "/{long}"}, {"path", 1, "\"/{word}\""}, {"path", 1, "~/{word}"},
	{"path", 1, "/\\{word}"}, {"path", 1, "/etc/\\ \\\\"},

	/* keys and permissions */
	{"key", 8, " -k {key-text}"}, {"key", 3, " -F key={key-text}"}, {"key", 2, " -k {key-text}{key}"}, {"key", 1, " -k{key-text}"},
	{"key", 6, ""}, {"key", 1, " -F key{operator}{key-text}"}, {"key", 1, " -F key="}, {"key", 1, " -F key={key-text}{key}"},
	{"key-text", 20, "{word}"}, {"key-text", 2, "{word}-{word}"}, {"key-text", 1, "a\\ b"}, {"key-text", 1, "a\\\\b"}, {"key-text", 1, "a=b"},
	{"key-text", 1, "a!=b"}, {"key-text", 1, "{key-256}"}, {"key-text", 1, "a\x01z"}, {"key-text", 1, "\"{word}\""}, {"key-text", 1, "'{word}"},
	{"key-text", 1, "a\xe9\xff"}, {"key-text", 1, "-F"}, {"key-text", 1, "{key-128}"}, {"key-text", 1, "$HOME"},
	{"perm", 3, ""}, {"perm", 5, " -p {perm-text}"}, {"perm", 3, " -F perm={perm-text}"}, {"perm", 1, " -p{perm-text}"},
	{"perm", 1, " -p {perm-text} -p {perm-text}"}, {"perm", 1, " -F perm{operator}r"},
	{"file", 3, " -F path={path}"}, {"file", 2, " -F dir={path}"}, {"file", 1, " -F exe={path}"}, {"file", 1, " -F exe{operator}{path}"},

	/* watches */
	{"watch", 20, "-w {path}{perm}{key}"}, {"watch", 2, "-W {path}{perm}{key}"}, {"watch", 1, "-w{path}{perm}{key}"},
	{"watch", 2, "-w {path}{exit-fields}{key}"}, {"watch", 1, "-w {path}{calls}{perm}"}, {"watch", 1, "-w {path} {add}{exit-action}{key}"},
	{"watch", 1, "{add}{exit-action} -w {path}"}, {"watch", 1, "-w {path} -w {path}"}, {"watch", 1, "-W {path} {add}{exit-action}"},
	{"watch", 1, "-w {path} -W {path}"}, {"watch", 1, "-W {path} -w {path}"}, {"watch", 1, "{calls64} -w {path}{perm}"},
	{"watch", 1, "{add}{exit-action} -W {path}"}, {"watch", 1, "-p r -w {path}"}, {"watch", 1, "-w {path} {add}{any-action}"},
	{"watch", 1, "-w {path}{key}{perm}"},

	/* settings and what stands alone */
	{"settings", 8, "{setting}"}, {"settings", 2, "{setting} {settings}"}, {"settings", 1, "{setting} {watch}"}, {"settings", 1, "{watch} {setting}"},
	{"settings", 1, "{setting} {single}"},
	{"setting", 5, "-b {number}"}, {"setting", 3, "-r {number}"}, {"setting", 4, "-e {012}"}, {"setting", 4, "-f {012}"},
	{"setting", 3, "--backlog_wait_time {number}"}, {"setting", 1, "--backlog_wait_time={number}"}, {"setting", 1, "--back {number}"},
	{"setting", 1, "-b{number}"}, {"setting", 1, "-e{012}"}, {"setting", 1, "-f {number}"},
	{"012", 4, "0"}, {"012", 4, "1"}, {"012", 4, "2"}, {"012", 1, "3"}, {"012", 1, "01"}, {"012", 1, "{word}"},
	{"single", 8, "-D"}, {"single", 2, "-D -k {key-text}"}, {"single", 1, "-D -k{key-text}"}, {"single", 1, "-D {word}"},
	{"single", 1, "-D {word} {word}"}, {"single", 1, "-D -k {word} {word}"}, {"single", 1, "-Dv"}, {"single", 1, "{setting} -D"},
	{"single", 1, "-l"}, {"single", 1, "-l -i"}, {"single", 1, "-l -k {key-text}"}, {"single", 1, "-l {word}"}, {"single", 1, "-l {word} {word}"},
	{"single", 1, "-l -k a b"}, {"single", 1, "{setting} -l"},
	{"single", 1, "-s"}, {"single", 1, "-s -i"}, {"single", 1, "-s {word}"}, {"single", 1, "-s {word} {word}"}, {"single", 1, "{setting} -s"},
	{"single", 1, "-v"}, {"single", 1, "-h"}, {"single", 2, "-i"}, {"single", 2, "-c"}, {"single", 1, "-ic"}, {"single", 1, "-i {word}"},
	{"single", 1, "-R /etc/audit/audit.rules"}, {"single", 2, "-t"}, {"single", 1, "-F arch=b64 -t"}, {"single", 1, "-tv"}, {"single", 1, "-t {word}"},
	{"single", 2, "-q /{word},/{word}"}, {"single", 1, "-q {path}"}, {"single", 1, "-q ,/{word}"}, {"single", 1, "-q /{word},"},
	{"single", 1, "-q /a,/b,/c"}, {"single", 1, "-S open -q /a,/b"},
	{"single", 2, "-m {word}"}, {"single", 1, "-m {word}\\ {word}"}, {"single", 1, "-m {word} {word}"}, {"single", 1, "-m a\x01z"}, {"single", 1, "-m \xe9"},
	{"single", 1, "--loginuid-immutable"}, {"single", 1, "--loginuid-immutable {word}"}, {"single", 1, "--login"}, {"single", 1, "--reset-lost"},
	{"single", 1, "--reset_backlog_wait_time_actual"}, {"single", 1, "--reset"}, {"single", 1, "--reset-lost=1"},
	{"single", 6, "--signal {signal}"}, {"single", 1, "--signal={signal}"}, {"single", 1, "--no-such"},
	{"signal", 1, "TERM"}, {"signal", 1, "HUP"}, {"signal", 1, "USR1"}, {"signal", 1, "USR2"}, {"signal", 1, "CONT"}, {"signal", 1, "hup"},
	{"signal", 1, "KILL"}, {"signal", 1, "stop"},

	/* what stands in the wrong place */
	{"odd", 2, "{word}"}, {"odd", 1, "-"}, {"odd", 1, "--"}, {"odd", 1, "-- {word}"}, {"odd", 1, "{watch} --"}, {"odd", 1, "{watch} -- {word}"},
	{"odd", 1, "-S {list64}"}, {"odd", 1, "-S {list64}{key}"}, {"odd", 1, "-F {exit-field}"}, {"odd", 1, "-C {compare}"}, {"odd", 1, "-p r"},
	{"odd", 1, "-k {key-text}"}, {"odd", 2, "{exit-rule} {single}"}, {"odd", 2, "{single} {exit-rule}"}, {"odd", 2, "{exit-rule} {exit-rule}"},
	{"odd", 1, "{watch} # {text}"}, {"odd", 1, "{exit-rule} {word}"}, {"odd", 1, "{word} {watch}"}, {"odd", 1, "-z"}, {"odd", 1, "-w"},
	{"odd", 1, "-a"}, {"odd", 1, "-F uid=0arch= -t"}, {"odd", 1, "{add}{exit-action} -F {bad-name}{operator}{number}"},
	{"odd", 1, "{add}{exit-action} -F uid{bad-operator}{number}"}, {"odd", 1, "{add}{exit-action} -F {word}"}, {"odd", 1, "\xef\xbb\xbf{line}"},
	{"odd", 1, "{add}{any-action}{calls}"}, {"odd", 1, "{watch} \\"}, {"odd", 1, "\t# {text}"}, {"odd", 1, "\t"},

	/* near the limits */
	{"limit", 3, "{add}{exit-action} -S 1{63-fields}"}, {"limit", 2, "{add}{exit-action} -S 1{63-fields}{key}"}, {"limit", 1, "-w /x{63-fields}{perm}"},
	{"limit", 3, "-w /x{many-keys}{perm}"}, {"limit", 3, "{add}{exit-action}{many-calls}{key}"}, {"limit", 2, "-w /{name-255}{perm}"},
	{"limit", 2, "-w /x -k {key-256}{key}"}, {"limit", 1, "-w /x -k {key-128} -k {key-128}{perm}"}, {"limit", 1, "-w {long-path}"},
	{"limit", 1, "{add}{exit-action} -F path={long-path}{key}"}, {"limit", 1, "#{text} {padding}{watch}"}, {"limit", 2, "{watch}{padding}"},
	{"limit", 2, "{watch}{padding}{watch}"}, {"limit", 1, "-w /x -k y{padding}{word}"}, {"limit", 1, "{many-keys} -w /x"},

	{"text", 4, "{word}"}, {"text", 4, "{word} {text}"}, {"text", 1, "-w /x"}, {"text", 1, ""},
	{"word", 4, "{letters}"}, {"word", 1, "x"}, {"word", 1, "passwd"}, {"word", 1, "-{letters}"}, {"word", 1, "{letters}.d"},
};
/* clang-format on */

/* ---- builtins --------------------------------------------------------------------------------------- */

static void expand(struct gen *g, const char *text, struct str *out);
static void make(struct gen *g, const char *symbol, struct str *out);

static void repeat(struct str *out, char c, unsigned n)
{
	while (n--)
		str_addc(out, c);
}

/* A number around the limit, mostly on its good side. */
static unsigned near_limit(struct gen *g, unsigned limit)
{
	return limit + 2 - gen_below(g, 6);
}

static void letters(struct gen *g, struct str *out)
{
	for (unsigned n = 1 + gen_below(g, 8); n; n--)
		str_addc(out, (char)('a' + gen_below(g, 26)));
}

static void below_500(struct gen *g, struct str *out)
{
	str_addf(out, "%u", gen_below(g, 500));
}

static void below_50(struct gen *g, struct str *out)
{
	str_addf(out, "%u", gen_below(g, 50));
}

static void hex(struct gen *g, struct str *out)
{
	str_addf(out, "%x", gen_below(g, 0x3ff));
}

static void octal(struct gen *g, struct str *out)
{
	str_addf(out, "%o", gen_below(g, 0777));
}

static void big(struct gen *g, struct str *out)
{
	static const char *const numbers[] = {"2147483647",
					      "2147483648",
					      "4294967294",
					      "4294967295",
					      "4294967296",
					      "4294967297",
					      "9223372036854775807",
					      "9223372036854775808",
					      "18446744073709551615",
					      "18446744073709551616",
					      "99999999999999999999999",
					      "0xffffffff",
					      "0x100000000",
					      "-2147483648",
					      "-2147483649",
					      "-9223372036854775809",
					      "037777777777"};
	str_add(out, numbers[gen_below(g, ARRAY_SIZE(numbers))]);
}

static void call(struct gen *g, int machine, struct str *out)
{
	const char *name = NULL;
	while (!name)
		name = audit_syscall_to_name((int)gen_below(g, 460), machine);
	str_add(out, name);
}

static void call64(struct gen *g, struct str *out)
{
	call(g, MACH_86_64, out);
}

static void call32(struct gen *g, struct str *out)
{
	call(g, MACH_X86, out);
}

static void errno_name(struct gen *g, struct str *out)
{
	const char *name = NULL;
	while (!name)
		name = audit_errno_to_name((int)(1 + gen_below(g, 133)));
	str_add(out, name);
}

static void record_name(struct gen *g, struct str *out)
{
	const char *name = NULL;
	while (!name)
		name = audit_msg_type_to_name((int)(1000 + gen_below(g, 1500)));
	str_add(out, name);
}

static void name_255(struct gen *g, struct str *out)
{
	repeat(out, 'n', near_limit(g, 255));
}

static void key_256(struct gen *g, struct str *out)
{
	repeat(out, 'k', near_limit(g, 256));
}

static void key_128(struct gen *g, struct str *out)
{
	repeat(out, 'h', near_limit(g, 128));
}

static void long_text(struct gen *g, struct str *out)
{
	repeat(out, 't', near_limit(g, 4096));
}

static void long_path(struct gen *g, struct str *out)
{
	for (unsigned n = near_limit(g, 4095); n; n--)
		str_addc(out, n % 40 == 0 || out->s[out->len - 1] == ' ' ? '/' : 'p');
}

static void fields_63(struct gen *g, struct str *out)
{
	for (unsigned n = near_limit(g, 63); n; n--)
		str_addf(out, " -F a%u=%u", gen_below(g, 4), gen_below(g, 100));
}

static void many_keys(struct gen *g, struct str *out)
{
	for (unsigned n = 3 + gen_below(g, 30); n; n--)
		str_addf(out, " -k %c%s", 'a' + (char)gen_below(g, 26), chance(g, 15) ? "bc" : "");
}

static void many_calls(struct gen *g, struct str *out)
{
	for (unsigned n = 6 + gen_below(g, 30); n; n--)
		str_addf(out, " -S %u", gen_below(g, chance(g, 20) ? 300 : 10));
}

/* Spaces so that the line ends near what one read takes. */
static void padding(struct gen *g, struct str *out)
{
	unsigned end = near_limit(g, 6143) + gen_below(g, 3);
	if (out->len < end)
		repeat(out, ' ',
		       end - (unsigned)out->len - gen_below(g, 20) * (end - (unsigned)out->len > 20));
}

static const char *const value_of[] = {
    [FK_NUMBER] = "number",       [FK_SNUMBER] = "number", [FK_UID] = "uid",         [FK_GID] = "gid",
    [FK_EXIT] = "errno",          [FK_ARCH] = "machine",   [FK_MSGTYPE] = "msgtype", [FK_FSTYPE] = "fstype",
    [FK_FILETYPE] = "filetype",   [FK_PERM] = "perm-text", [FK_SADDR] = "saddr",     [FK_SESSION] = "session",
    [FK_COMPARE] = "pair-number", [FK_TEXT] = "label",     [FK_PATH] = "path",       [FK_KEY] = "key-text"};

static void field(struct gen *g, const struct field_info *fi, struct str *out)
{
	g->fields[fi - field_table]++;
	str_add(out, fi->name);
	bool few =
	    fi->id == AUDIT_ARCH || fi->id == AUDIT_FSTYPE || fi->id == AUDIT_INODE || fi->id == AUDIT_EXE;
	if (fi->id == AUDIT_PERM && !chance(g, 5))
		str_add(out, "=");
	else
		make(g, few ? "equal" : "operator", out);
	make(g, value_of[fi->kind], out);
}

static void any_field(struct gen *g, struct str *out)
{
	field(g, &field_table[gen_below(g, (unsigned)field_table_len)], out);
}

static bool fits(const struct field_info *fi, const char *list)
{
	bool exclude = strcmp(list, "exclude") == 0, user = strcmp(list, "user") == 0,
	     on_exit = strcmp(list, "exit") == 0;
	if (fi->id == AUDIT_FSTYPE || fi->id == AUDIT_LOGINUID_SET || fi->id == AUDIT_FILTERKEY ||
	    fi->id == AUDIT_ARCH)
		return false;
	if (fi->id == AUDIT_MSGTYPE)
		return exclude || user;
	if (fi->id == AUDIT_SESSIONID)
		return on_exit || user;
	return exclude ? fi->exclude_ok : on_exit || !fi->exit_only;
}

static void field_for(struct gen *g, const char *list, struct str *out)
{
	const struct field_info *fi;
	do
		fi = &field_table[gen_below(g, (unsigned)field_table_len)];
	while (!fits(fi, list));
	field(g, fi, out);
}

static void exit_field(struct gen *g, struct str *out)
{
	field_for(g, "exit", out);
}

static void task_field(struct gen *g, struct str *out)
{
	field_for(g, "task", out);
}

static void user_field(struct gen *g, struct str *out)
{
	field_for(g, "user", out);
}

static void exclude_field(struct gen *g, struct str *out)
{
	field_for(g, "exclude", out);
}

static void filesystem_field(struct gen *g, struct str *out)
{
	field_for(g, "filesystem", out);
}

static const struct {
	const char *name;
	void (*add)(struct gen *g, struct str *out);
} builtins[] = {
    {"letters", letters},
    {"below-500", below_500},
    {"below-50", below_50},
    {"hex", hex},
    {"octal", octal},
    {"big", big},
    {"call64", call64},
    {"call32", call32},
    {"errno-name", errno_name},
    {"name-255", name_255},
    {"record-name", record_name},
    {"key-256", key_256},
    {"key-128", key_128},
    {"long", long_text},
    {"long-path", long_path},
    {"63-fields", fields_63},
    {"many-keys", many_keys},
    {"many-calls", many_calls},
    {"padding", padding},
    {"any-field", any_field},
    {"exit-field", exit_field},
    {"task-field", task_field},
    {"user-field", user_field},
    {"exclude-field", exclude_field},
    {"filesystem-field", filesystem_field},
};

/* ---- expansion -------------------------------------------------------------------------------------- */

static bool make_builtin(struct gen *g, const char *symbol, struct str *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++) {
		if (strcmp(builtins[i].name, symbol) == 0) {
			builtins[i].add(g, out);
			return true;
		}
	}
	return false;
}

static void make(struct gen *g, const char *symbol, struct str *out)
{
	if (make_builtin(g, symbol, out))
		return;
	unsigned total = 0;
	for (size_t i = 0; i < ARRAY_SIZE(grammar); i++)
		total += strcmp(grammar[i].symbol, symbol) == 0 ? grammar[i].weight : 0;
	if (!total)
		abort(); /* a symbol without a row: the grammar is wrong */
	unsigned at = gen_below(g, total);
	for (size_t i = 0; i < ARRAY_SIZE(grammar); i++) {
		if (strcmp(grammar[i].symbol, symbol) != 0)
			continue;
		if (at < grammar[i].weight) {
			g->rows[i]++;
			expand(g, grammar[i].text, out);
			return;
		}
		at -= grammar[i].weight;
	}
}

static void expand(struct gen *g, const char *text, struct str *out)
{
	while (*text) {
		const char *close = *text == '{' ? strchr(text, '}') : NULL;
		if (!close) {
			str_addc(out, *text++);
			continue;
		}
		char symbol[32] = "";
		memcpy(symbol, text + 1, (size_t)(close - text - 1));
		make(g, symbol, out);
		text = close + 1;
	}
}

/* ---- damage: one small thing goes wrong ------------------------------------------------------------- */

static void cut(struct str *b, size_t at, size_t n)
{
	memmove(b->s + at, b->s + at + n, b->len - at - n + 1);
	b->len -= n;
}

static void put(struct str *b, size_t at, const char *s, size_t n)
{
	struct str tail = {0};
	str_addn(&tail, b->s + at, b->len - at);
	b->len = at;
	str_addn(b, s, n);
	str_addn(b, str_get(&tail), tail.len);
	str_free(&tail);
}

/* Start and length of a word chosen at random. */
static size_t a_word(struct gen *g, const struct str *b, size_t *n)
{
	size_t at = gen_below(g, (unsigned)b->len);
	while (at && b->s[at - 1] != ' ')
		at--;
	*n = strcspn(b->s + at, " ");
	return at;
}

static void drop_word(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	cut(b, at, n);
}

static void double_word(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	char *word = strndup(b->s + at, n);
	put(b, at, " ", 1);
	put(b, at, word, strlen(word));
	free(word);
}

static void move_word(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	char *word = strndup(b->s + at, n);
	cut(b, at, n);
	size_t other = b->len ? a_word(g, b, &n) : 0;
	put(b, other, " ", 1);
	put(b, other, word, strlen(word));
	free(word);
}

static void swap_options(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	char *rest = strdup(b->s + at);
	if (at)
		cut(b, at, b->len - at);
	put(b, 0, " ", at ? 1 : 0);
	put(b, 0, rest, at ? strlen(rest) : 0);
	free(rest);
}

static void other_case(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	bool one = chance(g, 50);
	for (size_t i = at + (one && n ? gen_below(g, (unsigned)n) : 0); i < at + n; i++) {
		unsigned char c = (unsigned char)b->s[i];
		b->s[i] = (char)(islower(c) ? toupper(c) : tolower(c));
		if (one)
			break;
	}
}

static void junk_byte(struct gen *g, struct str *b)
{
	char c = (char)(1 + gen_below(g, 255));
	if (c == '\n' || c == 0x04 || c == 0x07)
		c = '%';
	put(b, gen_below(g, (unsigned)b->len + 1), &c, 1);
}

static void lose_byte(struct gen *g, struct str *b)
{
	cut(b, gen_below(g, (unsigned)b->len), 1);
}

static void other_byte(struct gen *g, struct str *b)
{
	static const char bytes[] = "=!<>&,-/ 019aAzZ#:\\\"'$*?.";
	b->s[gen_below(g, (unsigned)b->len)] = bytes[gen_below(g, sizeof(bytes) - 1)];
}

static void a_tab(struct gen *g, struct str *b)
{
	char *at = b->s + gen_below(g, (unsigned)b->len), *space = strchr(at, ' ');
	if (space)
		*space = '\t';
	else
		put(b, (size_t)(at - b->s), "\t", 1);
}

static void a_return(struct gen *g, struct str *b)
{
	(void)g;
	str_addc(b, '\r');
}

static void more_spaces(struct gen *g, struct str *b)
{
	char *at = strchr(b->s + gen_below(g, (unsigned)b->len), ' ');
	put(b, at ? (size_t)(at - b->s) : b->len, "              ", 1 + gen_below(g, 13));
}

static void spaces_before(struct gen *g, struct str *b)
{
	put(b, 0, "      ", 1 + gen_below(g, 5));
}

/* A byte that stands for an escape inside auditctl, and one that it swallows: never the end of a word
 * (AR_KEPT_BYTE). */
static void own_byte(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	if (n < 2)
		return;
	char bytes[] = {chance(g, 50) ? 0x04 : 0x07, 'x'};
	bytes[1] = chance(g, 50) ? bytes[0] : 'x';
	put(b, at + 1 + gen_below(g, (unsigned)n - 1), bytes, 2);
}

static void own_byte_at_end(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	if (chance(g, 25)) /* what auditctl does then is not defined */
		put(b, at + n, chance(g, 50) ? "\x04" : "\x07", 1);
}

static void separator_byte(struct gen *g, struct str *b)
{
	put(b, gen_below(g, (unsigned)b->len + 1), "\x01", 1);
}

static void nul_byte(struct gen *g, struct str *b)
{
	put(b, gen_below(g, (unsigned)b->len + 1), "", 1);
}

static void other_number(struct gen *g, struct str *b)
{
	size_t at = strcspn(b->s, "0123456789"), n = strspn(b->s + at, "0123456789");
	struct str number = {0};
	if (!n)
		return;
	make(g, chance(g, 50) ? "big" : "number", &number);
	cut(b, at, n);
	put(b, at, number.s, number.len);
	str_free(&number);
}

static void other_operator(struct gen *g, struct str *b)
{
	size_t at = strcspn(b->s, "=!<>&"), n = strspn(b->s + at, "=!<>&");
	struct str op = {0};
	if (!n)
		return;
	make(g, chance(g, 70) ? "operator" : "bad-operator", &op);
	cut(b, at, n);
	put(b, at, str_get(&op), op.len);
	str_free(&op);
}

static void join_words(struct gen *g, struct str *b)
{
	char *at = strchr(b->s + gen_below(g, (unsigned)b->len), ' ');
	if (at)
		cut(b, (size_t)(at - b->s), 1);
}

static void part_word(struct gen *g, struct str *b)
{
	put(b, gen_below(g, (unsigned)b->len), " ", 1);
}

static void a_backslash(struct gen *g, struct str *b)
{
	put(b, gen_below(g, (unsigned)b->len + 1), "\\\\", 1 + gen_below(g, 2));
}

static void a_comment(struct gen *g, struct str *b)
{
	(void)g;
	str_add(b, " # why");
}

static void foreign_word(struct gen *g, struct str *b)
{
	struct str other = {0};
	make(g, chance(g, 50) ? "single" : "setting", &other);
	size_t n, at = a_word(g, b, &n);
	put(b, at, " ", 1);
	put(b, at, other.s, other.len);
	str_free(&other);
}

static void quoted(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	const char *quote = chance(g, 50) ? "\"" : "'";
	put(b, at + n, quote, 1);
	put(b, at, quote, 1);
}

static void longer_word(struct gen *g, struct str *b)
{
	size_t n, at = a_word(g, b, &n);
	struct str more = {0};
	static const unsigned limits[] = {4, 31, 128, 255, 256, 4096};
	repeat(&more, 'l', near_limit(g, limits[gen_below(g, ARRAY_SIZE(limits))]));
	put(b, at + n, more.s, more.len);
	str_free(&more);
}

static void cut_short(struct gen *g, struct str *b)
{
	size_t at = gen_below(g, (unsigned)b->len);
	cut(b, at, b->len - at);
}

static const struct {
	const char *name;
	unsigned weight;
	void (*act)(struct gen *g, struct str *b); /* of a text that is not empty */
} damages[] = {
    {"drop a word", 4, drop_word},
    {"double a word", 4, double_word},
    {"move a word", 4, move_word},
    {"swap options", 4, swap_options},
    {"another case", 4, other_case},
    {"a junk byte", 3, junk_byte},
    {"lose a byte", 4, lose_byte},
    {"another byte", 6, other_byte},
    {"a tab", 3, a_tab},
    {"a carriage return", 3, a_return},
    {"more spaces", 3, more_spaces},
    {"spaces before", 2, spaces_before},
    {"a byte of its own", 3, own_byte},
    {"... at an end", 3, own_byte_at_end},
    {"the separator byte", 1, separator_byte},
    {"a NUL byte", 1, nul_byte},
    {"another number", 5, other_number},
    {"another operator", 5, other_operator},
    {"join words", 3, join_words},
    {"part a word", 3, part_word},
    {"a backslash", 3, a_backslash},
    {"a comment behind", 2, a_comment},
    {"a foreign word", 3, foreign_word},
    {"quotes", 2, quoted},
    {"a longer word", 2, longer_word},
    {"cut short", 2, cut_short},
};

static void damage(struct gen *g, struct str *b)
{
	unsigned total = 0;
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++)
		total += damages[i].weight;
	unsigned at = gen_below(g, total);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		if (at < damages[i].weight) {
			g->damages[i]++;
			damages[i].act(g, b);
			return;
		}
		at -= damages[i].weight;
	}
}

/* ---- what is offered -------------------------------------------------------------------------------- */

struct gen *gen_new(uint64_t seed)
{
	struct gen *g = calloc(1, sizeof(*g));
	_Static_assert(ARRAY_SIZE(grammar) <= USES, "USES is too small");
	if (!g || field_table_len > USES)
		abort();
	g->state = seed;
	return g;
}

void gen_free(struct gen *g)
{
	free(g);
}

static void line(struct gen *g, unsigned percent, struct str *out)
{
	struct str b = {0};
	make(g, "line", &b);
	while (b.len && chance(g, percent)) {
		damage(g, &b);
		percent /= 2;
	}
	str_addn(out, str_get(&b), b.len);
	str_free(&b);
}

void gen_line(struct gen *g, struct str *out)
{
	line(g, 15, out);
}

void gen_file(struct gen *g, struct str *out)
{
	if (chance(g, 2))
		str_add(out, "\xef\xbb\xbf");
	for (unsigned n = 1 + gen_below(g, 8); n; n--) {
		if (chance(g, 10))
			str_add(out, chance(g, 50) ? "-c" : "-i");
		else
			line(g, 4, out);
		if (n > 1 || chance(g, 80))
			str_addc(out, '\n');
	}
}

unsigned gen_unused(const struct gen *g, struct str *out)
{
	unsigned n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(grammar); i++) {
		if (!g->rows[i] && ++n)
			str_addf(out, "row %s: %s\n", grammar[i].symbol, grammar[i].text);
	}
	for (size_t i = 0; i < field_table_len; i++) {
		if (!g->fields[i] && ++n)
			str_addf(out, "field %s\n", field_table[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++) {
		if (!g->damages[i] && ++n)
			str_addf(out, "damage: %s\n", damages[i].name);
	}
	return n;
}
