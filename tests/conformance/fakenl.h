/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDITOPT_TESTS_FAKENL_H
#define AUDITOPT_TESTS_FAKENL_H

/* Type of an entry of the log that is no request: auditctl has read a line. */
enum { FAKENL_READ = 0xffff };

#endif
