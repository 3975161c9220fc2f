/* Functions of the loops and of the rest of the library that call each other. */
#ifndef CTXFOLD_LOOP_H
#define CTXFOLD_LOOP_H

#include "ctxfold.h"

/* The members of a job operation's request that other requests do not have, as JSON. */
typedef struct {
  ctxfold_request request;
  ctxfold_text settings, job, event;
} job_request;

ctxfold_status run_job(ctxfold_instance *c, const char *operation, const job_request *request, ctxfold_answer *answer);

/* Converts the answer of a finished job to the answer of its operation, or to an error. */
ctxfold_status end_job(ctxfold_answer *answer);

/* Reports that there is no memory. */
ctxfold_status no_memory(ctxfold_answer *answer);

/* Reports a host that can't work. message must be a string literal. */
ctxfold_status wrong_host(ctxfold_answer *answer, const char *message);

#endif
