/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/base.h"

static char dir[] = "/tmp/auditopt-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);     /* fails, and with it the test, when something was left */
}

static void test_arena(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	int *list = NULL;
	size_t n = 0;
	for (int i = 0; i < 1000; i++)
		*arena_push(a, list, n) = i;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list[i], i);
	char *big = arena_alloc(a, 1 << 20, 1), *small = arena_alloc(a, 1, 1);
	for (size_t i = 0; i < 1 << 20; i += 4096)
		assert_int_equal(big[i], 0);
	assert_int_equal((uintptr_t)small % _Alignof(max_align_t), 0);
	assert_string_equal(arena_printf(a, "%d-%s", 7, "x"), "7-x");
	assert_string_equal(path_join(a, "/a/", "b"), "/a/b");
	assert_string_equal(path_join(a, "/a", "b"), "/a/b");
	arena_free(a);
}

/* A size that does not fit ends the process instead of wrapping round. */
static void test_arena_overflow(void **state)
{
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		arena_alloc(arena_new(), SIZE_MAX / 2, 4);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void test_str(void **state)
{
	(void)state;
	struct str s = {0};
	assert_string_equal(str_get(&s), "");
	str_add_quoted(&s, "a\"\\\n\xff", 5);
	assert_string_equal(str_get(&s), "\"a\\x22\\x5c\\x0a\\xff\"");
	str_reset(&s);
	for (int i = 0; i < 10000; i++)
		str_addf(&s, "%d", i % 10);
	assert_int_equal(s.len, 10000);
	assert_int_equal(strlen(s.s), 10000);
	str_free(&s);
	assert_null(s.s);
}

static void test_numbers(void **state)
{
	(void)state;
	static const char *const bad[] = {"", " 1", "-1", "+1", "1 ", "0x", "4294967296", "99999999999999999999", "1a", "08"};
	uint32_t v = 77;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(num_u32(bad[i], 0, &v));
	assert_int_equal(v, 77);
	assert_true(num_u32("4294967295", 0, &v) && v == UINT32_MAX);
	assert_true(num_u32("0x1f", 0, &v) && v == 31);
	assert_true(num_u32("010", 0, &v) && v == 8);
	assert_true(num_u32("010", 10, &v) && v == 10);
	uint64_t w;
	assert_true(num_u64("18446744073709551615", 0, &w) && w == UINT64_MAX);
	assert_false(num_u64("18446744073709551616", 0, &w));
}

static void expect_content(const char *path, const char *want)
{
	struct str s = {0};
	assert_int_equal(file_read(path, 1000, &s), 0);
	assert_string_equal(str_get(&s), want);
	str_free(&s);
}

static void test_file_write(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	char *path = path_join(a, dir, "f");
	assert_int_equal(file_write(path, "old", 3, 0600), 0);
	expect_content(path, "old");

	/* No room for the new content: the old one stays, and nothing beside it. */
	struct rlimit was, tiny;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	tiny = was;
	tiny.rlim_cur = 4;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tiny), 0);
	int err = file_write(path, "much longer than four", 21, 0600);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(err, -EFBIG);
	expect_content(path, "old");

	assert_int_equal(file_write(path, "new", 3, 0640), 0);
	expect_content(path, "new");
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(file_write(path_join(a, dir, "none/f"), "x", 1, 0600), -ENOENT);
	struct str s = {0};
	assert_int_equal(file_read(path, 2, &s), -EFBIG);
	str_free(&s);
	assert_int_equal(unlink(path), 0);
	arena_free(a);
}

/* Only a regular file is ever replaced, and behind a link it is the file. */
static void test_file_kinds(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	char *file = path_join(a, dir, "f"), *link = path_join(a, dir, "l"), *fifo = path_join(a, dir, "p");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(file_write(fifo, "x", 1, 0600), -EOPNOTSUPP);
	assert_int_equal(file_write(dir, "x", 1, 0600), -EISDIR);
	assert_int_equal(file_write("", "x", 1, 0600), -ENOENT);
	assert_int_equal(symlink("f", link), 0);
	assert_int_equal(file_write(link, "x", 1, 0600), -ENOENT);
	assert_int_equal(file_write(file, "old", 3, 0600), 0);
	assert_int_equal(file_write(link, "new", 3, 0600), 0);
	expect_content(file, "new");
	struct stat st;
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(fifo, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(unlink(link) | unlink(file) | unlink(fifo), 0);
	arena_free(a);
}

static void test_sha256(void **state)
{
	(void)state;
	char hex[65];
	sha256_hex("abc", 3, hex);   /* FIPS 180-4, appendix */
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/* What was registered is gone once the process has died of the signal; what was forgotten, or is the parent's, is not. */
static void end_by(int sig)
{
	struct arena *a = arena_new();
	char *names[] = {path_join(a, dir, "gone"), path_join(a, dir, "kept"), path_join(a, dir, "parents"), path_join(a, dir, "d/in")};
	char *sub = path_join(a, dir, "d");
	assert_int_equal(mkdir(sub, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		close(open(names[i], O_CREAT | O_WRONLY, 0600));
	int parents = cleanup_file(names[2]);
	assert_true(parents >= 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		cleanup_install();
		cleanup_file(names[0]);
		cleanup_forget(cleanup_file(names[1]));
		cleanup_dir(sub);
		raise(sig);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == sig);
	assert_int_equal(access(names[0], F_OK), -1);
	assert_int_equal(access(sub, F_OK), -1);
	assert_int_equal(unlink(names[1]), 0);
	assert_int_equal(unlink(names[2]), 0);
	cleanup_forget(parents);
	arena_free(a);
}

static void test_cleanup(void **state)
{
	(void)state;
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGABRT};
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		end_by(signals[i]);
}

/* As under nohup(1). */
static void test_cleanup_ignored(void **state)
{
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGHUP, SIG_IGN);
		cleanup_install();
		raise(SIGHUP);
		_exit(7);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void test_cleanup_slots(void **state)
{
	(void)state;
	int slots[CLEANUP_MAX];
	size_t n = 0;
	for (int s; n < CLEANUP_MAX && (s = cleanup_file("/nowhere")) >= 0; n++)
		slots[n] = s;
	assert_int_equal(cleanup_file("/nowhere"), -1);
	while (n > 0)
		cleanup_forget(slots[--n]);
	int again = cleanup_file("/nowhere");
	assert_true(again >= 0);
	cleanup_forget(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena),   cmocka_unit_test(test_arena_overflow), cmocka_unit_test(test_str),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_file_write),     cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_cleanup), cmocka_unit_test(test_cleanup_slots), cmocka_unit_test(test_cleanup_ignored),
		cmocka_unit_test(test_file_kinds),
	};
	return cmocka_run_group_tests_name("base", tests, make_dir, remove_dir);
}
