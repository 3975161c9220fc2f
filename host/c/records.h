/* The records that jobs share in this process, their leases, and the background compactions. Every function locks
 * the records, so several threads may share them. */
#ifndef CTXFOLD_RECORDS_H
#define CTXFOLD_RECORDS_H

#include "ctxfold.h"
#include "json.h"

/* A background compaction: the request of its job, and its place in the list of the records. */
struct ctxfold_work {
  ctxfold_records *records;
  ctxfold_work *next;
  uint64_t id;
  char *keys; /* the keys of its newest lease, as a JSON array */
  bool stopped;
  ctxfold_request request; /* its texts are copies that belong to this struct */
  ctxfold_text settings;
};

char *copy_of(ctxfold_text text);

/* These functions execute the effect of the same name and write the members of its result. */
void records_load(ctxfold_records *records, writer *result);
void records_save(ctxfold_records *records, ctxfold_text effect, writer *result);
void records_lease(ctxfold_records *records, ctxfold_text effect, uint64_t now, writer *result);
void records_release(ctxfold_records *records, ctxfold_text effect);

/* Returns the number of leases that have ended so far. */
uint64_t records_ended(ctxfold_records *records);

/* Waits until a time, in milliseconds since 1970. Returns early if the number of ended leases exceeds ended, or if the
 * background compaction (unless work is NULL) is stopped. */
void records_wait(ctxfold_records *records, uint64_t until, uint64_t ended, const ctxfold_work *work);

/* Adds a background compaction, whose other members must be set, unless there already is one with the id target.
 * Returns whether it was added. */
bool records_begin(ctxfold_records *records, ctxfold_work *work, uint64_t target);

/* Tells the background compaction with this id to stop. */
void records_stop(ctxfold_records *records, uint64_t id);
bool work_stopped(const ctxfold_work *work);

/* Stores the keys of a lease that a background compaction requests. */
void work_leases(ctxfold_work *work, ctxfold_text keys);

/* Writes the current background compactions as the setting "running". */
void records_running(ctxfold_records *records, writer *settings);

#endif
