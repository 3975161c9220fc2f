/* What the loops need of the rest of the library. */
#ifndef CTXFOLD_LOOP_H
#define CTXFOLD_LOOP_H

#include "ctxfold.h"

/* The operation fit, as ctxfold_plan is the operation plan. */
ctxfold_status fit_once(ctxfold_instance *c, const ctxfold_request *request, ctxfold_answer *answer);

/* An error of the library, for want of memory. */
ctxfold_status no_memory(ctxfold_answer *answer);

#endif
