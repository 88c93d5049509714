/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The field table. Operators: kernel/auditfilter.c, audit_field_valid, and the placement helpers audit_to_inode
 * (inode), audit_to_watch (path) and audit_make_tree (dir), which take less. Lists: libaudit 3.0.9,
 * audit_rule_fieldpair_data. Fork: kernel/auditsc.c, audit_filter_rules as called by audit_filter_task.
 */
#include "lang/lang.h"

/* clang-format off */
const struct field_info field_table[] = {
	/* id                  name            kind         source      cost          kernel_ops  exit   exclude fork */
	{AUDIT_PID,            "pid",          FK_NUMBER,   FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, true,  true},
	{AUDIT_UID,            "uid",          FK_UID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, true,  true},
	{AUDIT_EUID,           "euid",         FK_UID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_SUID,           "suid",         FK_UID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_FSUID,          "fsuid",        FK_UID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_GID,            "gid",          FK_GID,      FS_GROUP,   FC_GROUPS,    OPS_ORDER,   false, true,  true},
	{AUDIT_EGID,           "egid",         FK_GID,      FS_GROUP,   FC_GROUPS,    OPS_ORDER,   false, false, true},
	{AUDIT_SGID,           "sgid",         FK_GID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_FSGID,          "fsgid",        FK_GID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_LOGINUID,       "auid",         FK_UID,      FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, true,  true},
	{AUDIT_PERS,           "pers",         FK_NUMBER,   FS_TASK,    FC_SCALAR,    OPS_ALL,     false, false, true},
	{AUDIT_ARCH,           "arch",         FK_ARCH,     FS_ARCH,    FC_SCALAR,    OPS_EQ,      false, false, false},
	{AUDIT_MSGTYPE,        "msgtype",      FK_MSGTYPE,  FS_RECORD,  FC_SCALAR,    OPS_ORDER,   false, true,  false},
	{AUDIT_SUBJ_USER,      "subj_user",    FK_TEXT,     FS_LABEL,   FC_LABEL,     OPS_EQ,      false, true,  true},
	{AUDIT_SUBJ_ROLE,      "subj_role",    FK_TEXT,     FS_LABEL,   FC_LABEL,     OPS_EQ,      false, true,  true},
	{AUDIT_SUBJ_TYPE,      "subj_type",    FK_TEXT,     FS_LABEL,   FC_LABEL,     OPS_EQ,      false, true,  true},
	{AUDIT_SUBJ_SEN,       "subj_sen",     FK_TEXT,     FS_LABEL,   FC_LABEL,     OPS_ORDER,   false, true,  true},
	{AUDIT_SUBJ_CLR,       "subj_clr",     FK_TEXT,     FS_LABEL,   FC_LABEL,     OPS_ORDER,   false, true,  true},
	{AUDIT_PPID,           "ppid",         FK_NUMBER,   FS_TASK,    FC_PPID,      OPS_ORDER,   true,  false, false},
	{AUDIT_OBJ_USER,       "obj_user",     FK_TEXT,     FS_NAMES,   FC_OBJ_LABEL, OPS_EQ,      true,  false, false},
	{AUDIT_OBJ_ROLE,       "obj_role",     FK_TEXT,     FS_NAMES,   FC_OBJ_LABEL, OPS_EQ,      true,  false, false},
	{AUDIT_OBJ_TYPE,       "obj_type",     FK_TEXT,     FS_NAMES,   FC_OBJ_LABEL, OPS_EQ,      true,  false, false},
	{AUDIT_OBJ_LEV_LOW,    "obj_lev_low",  FK_TEXT,     FS_NAMES,   FC_OBJ_LABEL, OPS_ORDER,   true,  false, false},
	{AUDIT_OBJ_LEV_HIGH,   "obj_lev_high", FK_TEXT,     FS_NAMES,   FC_OBJ_LABEL, OPS_ORDER,   true,  false, false},
	/* No text names it: the kernel makes it from auid=unset (audit_data_to_entry). */
	{AUDIT_LOGINUID_SET,   "loginuid_set", FK_NUMBER,   FS_TASK,    FC_SCALAR,    OPS_EQ,      false, false, true},
	{AUDIT_SESSIONID,      "sessionid",    FK_SESSION,  FS_TASK,    FC_SCALAR,    OPS_ORDER,   false, false, true},
	{AUDIT_FSTYPE,         "fstype",       FK_FSTYPE,   FS_RECORD,  FC_SCALAR,    OPS_EQ,      false, false, false},
	{AUDIT_DEVMAJOR,       "devmajor",     FK_NUMBER,   FS_NAMES,   FC_NAMES,     OPS_ORDER,   true,  false, false},
	{AUDIT_DEVMINOR,       "devminor",     FK_NUMBER,   FS_NAMES,   FC_NAMES,     OPS_ALL,     true,  false, false},
	{AUDIT_INODE,          "inode",        FK_NUMBER,   FS_NAMES,   FC_NAMES,     OPS_EQ,      true,  false, false},
	{AUDIT_EXIT,           "exit",         FK_EXIT,     FS_RESULT,  FC_SCALAR,    OPS_ORDER,   true,  false, false},
	{AUDIT_SUCCESS,        "success",      FK_NUMBER,   FS_RESULT,  FC_SCALAR,    OPS_ORDER,   true,  false, false},
	{AUDIT_WATCH,          "path",         FK_PATH,     FS_PATH,    FC_NAMES,     OPS_ONLY_EQ, true,  false, false},
	{AUDIT_PERM,           "perm",         FK_PERM,     FS_PERM,    FC_PERM,      OPS_EQ,      true,  false, false},
	{AUDIT_DIR,            "dir",          FK_PATH,     FS_DIR,     FC_DIR,       OPS_ONLY_EQ, true,  false, false},
	{AUDIT_FILETYPE,       "filetype",     FK_FILETYPE, FS_NAMES,   FC_NAMES,     OPS_EQ,      true,  false, false},
	{AUDIT_OBJ_UID,        "obj_uid",      FK_UID,      FS_NAMES,   FC_NAMES,     OPS_ORDER,   false, false, false},
	{AUDIT_OBJ_GID,        "obj_gid",      FK_GID,      FS_NAMES,   FC_NAMES,     OPS_ORDER,   false, false, false},
	/* At a fork only the pairs of two ids of the task are compared; those with obj_uid or obj_gid are false. */
	{AUDIT_FIELD_COMPARE,  "field_compare", FK_COMPARE, FS_COMPARE, FC_NAMES,     OPS_EQ,      false, false, true},
	/* At a fork the helper refuses a task that is not the caller: constant (audit_exe_compare, 6.1.y and 6.7 on). */
	{AUDIT_EXE,            "exe",          FK_PATH,     FS_EXE,     FC_EXE,       OPS_EQ,      false, true,  false},
	{AUDIT_SADDR_FAM,      "saddr_fam",    FK_SADDR,    FS_SADDR,   FC_SCALAR,    OPS_ORDER,   false, false, false},
	{AUDIT_ARG0,           "a0",           FK_SNUMBER,  FS_TASK,    FC_SCALAR,    OPS_ALL,     false, false, false},
	{AUDIT_ARG1,           "a1",           FK_SNUMBER,  FS_TASK,    FC_SCALAR,    OPS_ALL,     false, false, false},
	{AUDIT_ARG2,           "a2",           FK_SNUMBER,  FS_TASK,    FC_SCALAR,    OPS_ALL,     false, false, false},
	{AUDIT_ARG3,           "a3",           FK_SNUMBER,  FS_TASK,    FC_SCALAR,    OPS_ALL,     false, false, false},
	{AUDIT_FILTERKEY,      "key",          FK_KEY,      FS_KEY,     FC_FREE,      OPS_EQ,      false, false, false},
};
/* clang-format on */
const size_t field_table_len = ARRAY_SIZE(field_table);

const struct field_info *field_by_id(uint32_t id)
{
	for (size_t i = 0; i < field_table_len; i++) {
		if (field_table[i].id == id)
			return &field_table[i];
	}
	return NULL;
}

/* In the order of the OPS_ bits. */
static const struct {
	uint32_t op;
	const char *text;
} operators[] = {
	{AUDIT_EQUAL, "="},
	{AUDIT_NOT_EQUAL, "!="},
	{AUDIT_LESS_THAN, "<"},
	{AUDIT_LESS_THAN_OR_EQUAL, "<="},
	{AUDIT_GREATER_THAN, ">"},
	{AUDIT_GREATER_THAN_OR_EQUAL, ">="},
	{AUDIT_BIT_MASK, "&"},
	{AUDIT_BIT_TEST, "&="},
};

uint8_t op_bit(uint32_t op)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (operators[i].op == op)
			return (uint8_t)(1u << i);
	}
	return 0;
}

const char *op_text(uint32_t op)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (operators[i].op == op)
			return operators[i].text;
	}
	return "?";
}

bool field_is_text(uint32_t id)
{
	const struct field_info *fi = field_by_id(id);
	return fi && (fi->kind == FK_TEXT || fi->kind == FK_PATH || fi->kind == FK_KEY);
}
