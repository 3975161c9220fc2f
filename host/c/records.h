/* What jobs remember in this process, their leases, and the compactions in the background. Every function locks the
 * records, so that jobs in several threads may share them. */
#ifndef CTXFOLD_RECORDS_H
#define CTXFOLD_RECORDS_H

#include "ctxfold.h"
#include "json.h"

/* A compaction in the background: the request of its job, and its place among those of its records. */
struct ctxfold_work {
  ctxfold_records *records;
  ctxfold_work *next;
  uint64_t id;
  char *keys; /* the keys of its newest lease, as a JSON array */
  bool stopped;
  ctxfold_request request; /* its texts are copies that belong to the work */
  ctxfold_text settings;
};

char *copy_of(ctxfold_text text);

/* Execute the effects of these names, and write the members of their result. */
void records_load(ctxfold_records *records, writer *result);
void records_save(ctxfold_records *records, ctxfold_text effect, writer *result);
void records_lease(ctxfold_records *records, ctxfold_text effect, uint64_t now, writer *result);
void records_release(ctxfold_records *records, ctxfold_text effect);

/* How many leases have ended so far. */
uint64_t records_ended(ctxfold_records *records);

/* Waits until a time, in milliseconds since 1970. Returns early when more than ended leases have ended, or the work (if
 * it is not NULL) is stopped. */
void records_wait(ctxfold_records *records, uint64_t until, uint64_t ended, const ctxfold_work *work);

/* Adds a work whose other members are set, unless one with the id target is there. Returns whether it was added. */
bool records_begin(ctxfold_records *records, ctxfold_work *work, uint64_t target);

/* Tells the work with an id to stop. */
void records_stop(ctxfold_records *records, uint64_t id);
bool work_stopped(const ctxfold_work *work);

/* Keeps the keys of a lease that a work asks for. */
void work_leases(ctxfold_work *work, ctxfold_text keys);

/* Writes the works that are there as the setting "running". */
void records_running(ctxfold_records *records, writer *settings);

#endif
