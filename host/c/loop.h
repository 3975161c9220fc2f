/* What the loops need from the rest of the library. */
#ifndef CTXFOLD_LOOP_H
#define CTXFOLD_LOOP_H

#include "ctxfold.h"

/* A request of a job operation, with the members that only these have, as JSON. */
typedef struct {
  ctxfold_request request;
  ctxfold_text settings, job, event;
} job_request;

ctxfold_status run_job(ctxfold_instance *c, const char *operation, const job_request *request, ctxfold_answer *answer);

/* Converts the answer of a job that has ended to the answer of its operation, or its error. */
ctxfold_status end_job(ctxfold_answer *answer);

/* Reports that there is no memory. */
ctxfold_status no_memory(ctxfold_answer *answer);

#endif
