# SPDX-License-Identifier: GPL-3.0-or-later
# perl tests/lib/json.pl FILE EXPRESSION: reads the JSON of FILE as $j and prints what the expression gives, a list on one
# line with blanks between. True and false are printed as 1 and 0, null as "null". Exit status 1: not JSON, or an error.
use strict;
use warnings;
use JSON::PP;

my ($file, $expression) = @ARGV;
open my $in, '<', $file or die "$file: $!\n";
our $j = decode_json(do { local $/; <$in> });

# Of a list of objects those whose members are as given: pick($list, set => 'old', auid => 1000)
sub pick
{
	my ($list, %want) = @_;
	return grep {
		my $o = $_;
		!grep { !defined $o->{$_} || $o->{$_} ne $want{$_} } keys %want
	} @$list;
}

# A counted figure of the lab
sub figure
{
	my ($set, $workload, $auid) = @_;
	my ($f) = pick($j->{lab}{figures}, set => $set, workload => $workload, auid => $auid);
	return $f ? $f->{value} : die "no figure $set $workload $auid\n";
}

my @got = eval $expression;
die $@ if $@;
print join(' ', map { defined $_ ? "$_" : 'null' } @got), "\n";
