/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * System call numbers of the two ABIs of x86_64 and the classes that `perm` and the signal counter look at. A number
 * here is the kernel's (arch/x86/entry/syscalls/syscall_64.tbl, syscall_32.tbl), not libaudit's, whose tables lack some.
 */
#include "kernel/kernel.h"

#include <string.h>

uint32_t abi_arch(enum abi abi)
{
	return abi == ABI_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_I386;
}

static int abi_machine(enum abi abi)
{
	return abi == ABI_64 ? MACH_86_64 : MACH_X86;
}

const char *abi_syscall_name(enum abi abi, unsigned nr)
{
	return audit_syscall_to_name((int)nr, abi_machine(abi));
}

int abi_syscall_number(enum abi abi, const char *name)
{
	return audit_name_to_syscall(name, abi_machine(abi));
}

/*
 * One row a call: the permission letters its class membership gives (include/asm-generic/audit_read.h, audit_write.h,
 * audit_dir_write.h, audit_change_attr.h), and where audit_match_perm (kernel/auditsc.c) finds an access mode instead.
 */
enum { DIR_WRITE = 1,              /* also in the DIR_WRITE class */
       LATER = 2 };                /* in its class only in kernels newer than 6.1 */

static const struct perm_row {
	short nr[ABI_COUNT];      /* -1: the ABI has no such call in the class */
	unsigned char bits;
	unsigned char open;       /* enum open_kind */
	unsigned char flags;
} perm_rows[] = {
	{{2, 5}, PERM_R | PERM_W, OPEN_A1, 0},                 /* open */
	{{257, 295}, PERM_R | PERM_W, OPEN_A2, 0},             /* openat */
	{{437, 437}, PERM_R | PERM_W, OPEN_HOW, 0},            /* openat2 */
	{{-1, 102}, PERM_W, OPEN_SOCKETCALL, 0},               /* socketcall, when it is a bind */
	{{59, 11}, PERM_X, OPEN_NOT, 0},                       /* execve */
	{{322, 358}, PERM_X, OPEN_NOT, 0},                     /* execveat */
	{{89, 85}, PERM_R, OPEN_NOT, 0},                       /* readlink */
	{{179, 131}, PERM_R | PERM_W, OPEN_NOT, 0},            /* quotactl */
	{{194, 232}, PERM_R, OPEN_NOT, 0},                     /* listxattr */
	{{195, 233}, PERM_R, OPEN_NOT, 0},                     /* llistxattr */
	{{196, 234}, PERM_R, OPEN_NOT, 0},                     /* flistxattr */
	{{191, 229}, PERM_R, OPEN_NOT, 0},                     /* getxattr */
	{{192, 230}, PERM_R, OPEN_NOT, 0},                     /* lgetxattr */
	{{193, 231}, PERM_R, OPEN_NOT, 0},                     /* fgetxattr */
	{{267, 305}, PERM_R, OPEN_NOT, 0},                     /* readlinkat */
	{{82, 38}, PERM_W, OPEN_NOT, DIR_WRITE},               /* rename */
	{{83, 39}, PERM_W, OPEN_NOT, DIR_WRITE},               /* mkdir */
	{{84, 40}, PERM_W, OPEN_NOT, DIR_WRITE},               /* rmdir */
	{{85, 8}, PERM_W, OPEN_NOT, DIR_WRITE},                /* creat */
	{{86, 9}, PERM_W | PERM_A, OPEN_NOT, DIR_WRITE},       /* link */
	{{87, 10}, PERM_W, OPEN_NOT, DIR_WRITE},               /* unlink */
	{{88, 83}, PERM_W, OPEN_NOT, DIR_WRITE},               /* symlink */
	{{133, 14}, PERM_W, OPEN_NOT, DIR_WRITE},              /* mknod */
	{{258, 296}, PERM_W, OPEN_NOT, DIR_WRITE},             /* mkdirat */
	{{259, 297}, PERM_W, OPEN_NOT, DIR_WRITE},             /* mknodat */
	{{263, 301}, PERM_W, OPEN_NOT, DIR_WRITE},             /* unlinkat */
	{{264, 302}, PERM_W, OPEN_NOT, DIR_WRITE},             /* renameat */
	{{265, 303}, PERM_W | PERM_A, OPEN_NOT, DIR_WRITE},    /* linkat */
	{{266, 304}, PERM_W, OPEN_NOT, DIR_WRITE},             /* symlinkat */
	{{316, 353}, PERM_W, OPEN_NOT, DIR_WRITE},             /* renameat2 */
	{{163, 51}, PERM_W, OPEN_NOT, 0},                      /* acct */
	{{167, 87}, PERM_W, OPEN_NOT, 0},                      /* swapon */
	{{76, 92}, PERM_W, OPEN_NOT, 0},                       /* truncate */
	{{77, 93}, PERM_W, OPEN_NOT, 0},                       /* ftruncate */
	{{-1, 193}, PERM_W, OPEN_NOT, 0},                      /* truncate64 */
	{{-1, 194}, PERM_W, OPEN_NOT, 0},                      /* ftruncate64 */
	{{49, 361}, PERM_W, OPEN_NOT, 0},                      /* bind */
	{{285, 324}, PERM_W, OPEN_NOT, 0},                     /* fallocate */
	{{90, 15}, PERM_A, OPEN_NOT, 0},                       /* chmod */
	{{91, 94}, PERM_A, OPEN_NOT, 0},                       /* fchmod */
	{{92, 182}, PERM_A, OPEN_NOT, 0},                      /* chown */
	{{94, 16}, PERM_A, OPEN_NOT, 0},                       /* lchown */
	{{93, 95}, PERM_A, OPEN_NOT, 0},                       /* fchown */
	{{188, 226}, PERM_A, OPEN_NOT, 0},                     /* setxattr */
	{{189, 227}, PERM_A, OPEN_NOT, 0},                     /* lsetxattr */
	{{190, 228}, PERM_A, OPEN_NOT, 0},                     /* fsetxattr */
	{{197, 235}, PERM_A, OPEN_NOT, 0},                     /* removexattr */
	{{198, 236}, PERM_A, OPEN_NOT, 0},                     /* lremovexattr */
	{{199, 237}, PERM_A, OPEN_NOT, 0},                     /* fremovexattr */
	{{260, 298}, PERM_A, OPEN_NOT, 0},                     /* fchownat */
	{{268, 306}, PERM_A, OPEN_NOT, 0},                     /* fchmodat */
	{{-1, 212}, PERM_A, OPEN_NOT, 0},                      /* chown32 */
	{{-1, 207}, PERM_A, OPEN_NOT, 0},                      /* fchown32 */
	{{-1, 198}, PERM_A, OPEN_NOT, 0},                      /* lchown32 */
	{{463, 463}, PERM_A, OPEN_NOT, LATER},                 /* setxattrat */
	{{466, 466}, PERM_A, OPEN_NOT, LATER},                 /* removexattrat */
};

static const struct perm_row *perm_row(enum abi abi, unsigned nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(perm_rows); i++) {
		if (perm_rows[i].nr[abi] >= 0 && (unsigned)perm_rows[i].nr[abi] == nr)
			return &perm_rows[i];
	}
	return NULL;
}

unsigned perm_class(enum abi abi, unsigned nr, enum open_kind *open)
{
	const struct perm_row *row = perm_row(abi, nr);
	if (open)
		*open = row ? (enum open_kind)row->open : OPEN_NOT;
	return row ? row->bits : 0;
}

bool perm_class_uncertain(enum abi abi, unsigned nr)
{
	const struct perm_row *row = perm_row(abi, nr);
	return row && (row->flags & LATER);
}

void perm_mask(enum abi abi, unsigned bits, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (size_t i = 0; i < ARRAY_SIZE(perm_rows); i++) {
		if (perm_rows[i].nr[abi] >= 0 && (perm_rows[i].bits & bits))
			mask_add(mask, (unsigned)perm_rows[i].nr[abi]);
	}
}

/* kill, tgkill, tkill: include/asm-generic/audit_signal.h */
static const short signal_class[][ABI_COUNT] = {{62, 37}, {234, 270}, {200, 238}};

bool signal_class_intersects(enum abi abi, const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(signal_class); i++) {
		if (mask_has(mask, (unsigned)signal_class[i][abi]))
			return true;
	}
	return false;
}

/*
 * The sixteen class bits (kernel/auditfilter.c:audit_to_entry_common): bit 2047-c stands for class c, the odd ones being
 * the 32-bit halves. The kernel clears all of them and adds the members of the registered ones.
 */
static void add_class(uint32_t mask[AUDIT_BITMASK_SIZE], unsigned class)
{
	enum abi abi = class % 2 ? ABI_32 : ABI_64;
	if (class / 2 == 4) {
		for (size_t i = 0; i < ARRAY_SIZE(signal_class); i++)
			mask_add(mask, (unsigned)signal_class[i][abi]);
		return;
	}
	static const unsigned char bits_of[] = {PERM_W, PERM_A, PERM_R, PERM_W};
	if (class / 2 >= ARRAY_SIZE(bits_of))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(perm_rows); i++) {
		const struct perm_row *row = &perm_rows[i];
		bool member = row->nr[abi] >= 0 && (row->bits & bits_of[class / 2]) && row->open == OPEN_NOT && !(row->flags & LATER);
		if (class / 2 == 0)
			member = member && (row->flags & DIR_WRITE);
		if (member)
			mask_add(mask, (unsigned)row->nr[abi]);
	}
}

void mask_expand(const uint32_t sent[AUDIT_BITMASK_SIZE], uint32_t held[AUDIT_BITMASK_SIZE])
{
	memcpy(held, sent, AUDIT_BITMASK_SIZE * sizeof(held[0]));
	held[AUDIT_BITMASK_SIZE - 1] &= 0xffff;
	for (unsigned class = 0; class < 16; class++) {
		if (mask_has(sent, 2047 - class))
			add_class(held, class);
	}
}
