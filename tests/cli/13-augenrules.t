#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Directories of rules: what the real augenrules makes of one, read as one file, sends the same in the same order as this
# program's reading of the directory. With gawk, whose \s is a space; where mawk makes something else of it, that is told.
set -u
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/../lib/tap.sh"

script=${AUDITOPT_AUDITCTL:-$root/build/lab/auditctl}
script=${script%/*}/augenrules
[ -r "$script" ] || skip_all "no augenrules at $script (see make deps)"
for awk in gawk mawk; do
	command -v $awk >/dev/null || skip_all "no $awk here"
	mkdir "$dir/$awk"
	ln -s "$(command -v $awk)" "$dir/$awk/awk"
done
sed -e "s|=/etc/audit/audit.rules|=$dir/merged|" -e "s|=/etc/audit/rules.d|=$dir/rules.d|" "$script" >"$dir/augenrules"
grep -q "^DestinationFile=$dir/merged\$" "$dir/augenrules" && grep -q "^SourceRulesDir=$dir/rules.d\$" "$dir/augenrules"
ok $? "the script's paths are replaced"

merged() { # AWK: what augenrules makes of the directory, as requests
	rm -f "$dir/merged" "$dir/merged.prev"
	PATH=$dir/$1:$PATH LC_ALL=C sh "$dir/augenrules" >/dev/null 2>&1
	"$AUDITOPT" dump --dirs "$dir/none" "$dir/merged" 2>/dev/null
}

effect() { # FILE of requests: where -b and -f stand among the others makes no difference
	grep -v -e backlog_limit= -e failure= "$1"
	grep backlog_limit= "$1" | tail -n 1
	grep failure= "$1" | tail -n 1
}

told=0 silent=0 sent=0
same() { # NAME: of the directory that stands there
	"$AUDITOPT" dump --dirs "$dir/none" "$dir/rules.d" >"$dir/ours" 2>"$dir/err"
	merged gawk >"$dir/theirs"
	diff "$dir/theirs" "$dir/ours" >"$dir/diff"
	ok $? "$1 ($(wc -l <"$dir/ours") requests)" "$dir/diff"
	sent=$((sent + $(wc -l <"$dir/ours")))
	merged mawk >"$dir/theirs"
	if [ "$(effect "$dir/theirs")" = "$(effect "$dir/ours")" ]; then
		silent=$((silent + 1))
	else
		told=$((told + 1))
		grep -q -e 'AR012' -e 'AR004' "$dir/err" # a tab before an option
		ok $? "$1: mawk makes another thing of it, which is told" "$dir/err"
	fi
	rm -rf "$dir/rules.d"
	mkdir "$dir/rules.d"
}

put() { # NAME TEXT of printf
	# shellcheck disable=SC2059 # a format
	printf -- "$2" >"$dir/rules.d/$1"
}

: >"$dir/none"
mkdir "$dir/rules.d"
same "an empty directory"
put 1.rules ''; put 2.rules '\n\n'; same "empty files and lines"
put 9.rules '-w /nine\n'; put 10.rules '-w /ten\n'; put 010.rules '-w /ten0\n'; put 1.rules '-w /one\n'; put 20a.rules '-w /twenty-a\n'
put 20.rules '-w /twenty\n'; put 100.rules '-w /hundred\n'; put 00.rules '-w /zero\n'; same "names with digits"
put a-1.rules '-w /1\n'; put a_1.rules '-w /2\n'; put a.1.rules '-w /3\n'; put a1.rules '-w /4\n'; put A.rules '-w /5\n'; put 'a~.rules' '-w /6\n'
put a.rules '-w /7\n'; put a.b.rules '-w /8\n'; put a+.rules '-w /9\n'; put a1b2.rules '-w /10\n'; put a1b10.rules '-w /11\n'; same "names with signs"
put x.rules '-w /1\n'; put .x.rules '-w /hidden\n'; put .rules '-w /hidden\n'; put x.rules.bak '-w /bak\n'; put y.rule '-w /rule\n'
put x.rules~ '-w /tilde\n'; put z.RULES '-w /upper\n'; put xrules '-w /xrules\n'; same "hidden files, other names"
put 1.rules '-w /a -p r'; put 2.rules ' -k joined\n-w /b\n'; same "no final newline"
put 1.rules '-w /a -p r'; put 2.rules '\n-w /b\n'; same "no final newline, an empty line behind"
put 1.rules '-w /a -p r'; put 2.rules ''; put 3.rules '-w /b\n'; same "no final newline, an empty file behind"
put 1.rules '-w /a'; put 2.rules ' -p'; put 3.rules ' r'; same "three files make a line"
put 1.rules '# the end'; put 2.rules '-D\n-w /b\n'; same "a comment swallows the line of the next file"
put 1.rules '-w /a -k'; put 2.rules '# comment\n-w /b\n'; same "a comment becomes a key"
put 1.rules '-b 1\n-f 0\n-D\n-e 0\n-w /a\n-e 1\n'; put 2.rules '-D\n-e 2\n-f 1\n-w /b\n-b 2\n'; same "settings are moved, the last one stays"
put 1.rules '-w /a\n'; put 2.rules '-D -k x\n-w /b\n-D\n'; same "-D -k stays"
put 1.rules '-w /a\n'; put 2.rules ' -D\n-w /b\n'; same "-D behind a space"
put 1.rules ' -D\n'; put 2.rules '-w /b\n'; same "-D behind a space, first"
put 1.rules '-w /a\n'; put 2.rules '\t-D\n-w /b\n'; same "-D behind a tab"
put 1.rules '-w /a\n'; put 2.rules '-D   \n-w /b\n'; same "-D before spaces"
put 1.rules '-w /a\n'; put 2.rules '  -e 2\n-w /b\n'; same "-e behind spaces"
put 1.rules '  -b 100\n-w /a\n'; put 2.rules '-b 200\n-w /b\n'; same "-b behind spaces, another one later"
put 1.rules '-f 1\n-w /a\n'; put 2.rules ' -f 2\n-w /b\n'; same "-f behind spaces, another one before"
put 1.rules '  -b 100\n-w /a\n'; same "-b behind spaces, the only one"
put 1.rules '# a\n  # b\n\t# c\n#d\n-w /a\n'; same "comments, indented ones"
put 1.rules '-w /a -k id\r\n# x\r\n\r\n'; put 2.rules '-b 8192\r\n-w /b\r\n'; same "carriage returns"
put 1.rules '-w /a\r\n'; put 2.rules '-D\r\n-w /b\n'; same "-D before a carriage return"
put 1.rules '   \n-w /a\n \n'; same "lines of spaces"
put 1.rules '-w /a\n\t\n-w /b\n'; same "a line with a tab"
put 1.rules '-i\n-w rel\n-w /a\n'; put 2.rules '-w /b\n-bad\n-w /c\n'; same "errors passed over"
put 1.rules '-w /a\nfoo\n-w /b\n'; put 2.rules '-e 2\n'; same "an error ends it"
put 1.rules '-b 64 -w /lost\n-w /a\n'; put 2.rules '-b 128\n'; same "a rule on a line that is dropped"
put 1.rules '-fx\n-w /a\n'; put 2.rules '-f 1\n'; same "whatever begins with -f"
put 1.rules '-r 5\n--backlog_wait_time 7\n-w /a\n'; put 2.rules '--loginuid-immutable\n-c\n-r 6\n'; same "settings that stay"
put 'a b.rules' '-w /spaces\n'; put b.rules '-w /b\n'; put a '-w /a\n'; same "a name with a space is read as two"
mkdir "$dir/rules.d/5.rules"; put 6.rules '-w /six\n'; put 4.rules '-w /four\n'; same "a directory among the files"
ln -s nowhere "$dir/rules.d/5.rules"; put 6.rules '-w /six\n'; same "a link to nothing"
printf -- '-w /a\0b -p r\n-w /b\n' >"$dir/rules.d/1.rules"; same "a NUL byte"
printf '\357\273\277# mark\n-w /b\n' >"$dir/rules.d/1.rules"; same "a byte order mark"

# Directories made at random, the same ones each time.
for seed in $(seq 1 40); do
	perl - "$dir/rules.d" "$seed" <<'PERL'
use strict; use warnings;
my ($dir, $seed) = @ARGV;
my $state = $seed;
sub below { $state = ($state * 1103515245 + 12345) & 0x7fffffff; return ($state >> 8) % $_[0] }
my @names = map { "$_.rules" } qw(1 2 9 10 11 20 100 010 a b c-1 c-10 c-9 30-x 30_x 30.x x30 x3 x~ Z);
my @lines = ("-D", "-b 64", "-b 8192", "-f 0", "-f 1", "-f 2", "-e 1", "-e 2", "", "# c", "   # c", "\t# c", " -D", "-D ", "  -e 2", " -f 1",
	"-b 100 ", "-w /a -p r", "-w /b -p wa -k b", "-w /c", "-a always,exit -F arch=b64 -S open -F auid>=1000 -k o", "-a never,task -F uid=5",
	"-r 100", "-i", "-D -k x", "-W /c", "-w /c\r", "  ", "\t-b 7", "-e 1 -w /e", "-w  /d  -p  x", " -w /f", "-a exclude,always -F msgtype=CWD");
for (1 .. 1 + below(6)) {
	open my $f, '>', "$dir/" . $names[below(scalar @names)] or die;
	my @text = map { $lines[below(scalar @lines)] } 1 .. below(8);
	print $f join("\n", @text), @text && below(5) ? "\n" : '';
}
PERL
	same "made with $seed"
done
[ "$told" -gt 10 ] && [ "$silent" -gt 20 ] && [ "$sent" -gt 300 ]
ok $? "mawk agreed on $silent directories and not on $told; $sent requests were compared"

# What is told of the lines keeps their own file, line and column.
places() { # NAME WANTED...: places and codes
	local name=$1
	shift
	"$AUDITOPT" check --dirs "$dir/none" "$dir/rules.d" >"$dir/out" 2>&1
	is "$name" "$(grep -o '^[^ ]*rules:[0-9:]* [a-z]*: .*\[AR0[0-9]*\]$' "$dir/out" | sed "s|^$dir/rules.d/\\([^ ]*\\) \\([a-z]*\\): .*\\[\\(.*\\)\\]|\\1 \\2 \\3|" |
		grep -v -e 'AR07' | sort)" "$(printf '%s\n' "$@")"
	rm -rf "$dir/rules.d"
	mkdir "$dir/rules.d"
}
put 1.rules '-D\n-w /a -p r\n\n-a always,exit -S 1 -F nope=1'; put 2.rules '\n-e 1\n# x\n-w rel -p r\n'; put 3.rules '-b 5\n-e 2\n'
places "errors and what is dropped stand where they were written" "1.rules:4:24: error AR040" "2.rules:2:1: note AR008" "2.rules:4:4: error AR063"
put 1.rules '-w /a -p r'; put 2.rules '-w /b\n'
places "a joined line is told with the file that lacks the newline, and what follows from it" "1.rules:1:1: error AR007"
put 1.rules '-w /a -p r\n-k'; put 2.rules ' x # y\n'
places "a joined line that fails without that too" "1.rules:2:1: error AR007"

# What can be mended is, and then both awks make the same of it.
put 1.rules '-w /a\n -D\n-b 64\n-w\t/t -p r'; put 2.rules '-w /b\r\n\t# c\n  -e 1\n-b 8192\n'; put 3.rules '-e 2\n-w /z\n-w "/q q" -p r # why'
"$AUDITOPT" check --fix -o "$dir/fixed" --dirs "$dir/none" "$dir/rules.d" >"$dir/out" 2>&1
is "a directory with all of it mended" "$(cat "$dir"/fixed/[123].rules | grep -v -x -e '-f 1')" \
	"$(printf '%s\n' '-w /a' -D '-w /t -p r' '-w /b' '# c' '-b 8192' '-e 2' '-w /z' '# why' '-w /q\ q -p r')"
rm -rf "$dir/rules.d"
mv "$dir/fixed" "$dir/rules.d"
agreed=$silent
same "the mended directory"
is "the mended directory: mawk makes the same of it" "$silent" $((agreed + 1))
finish
