package main

// group is a list of functions of the runtime that a module never needs, and why. The functions listed in nothing return zero values.
// Those listed in trap are never reached unless the runtime is broken; they end the instance.
type group struct {
	name, why     string
	nothing, trap []string
}

// groups are the functions whose bodies are removed. Functions that are called at startup or while serving requests are
// in no group.
var groups = []group{
	{
		name: "failures", why: "there is no console: a failure of the runtime is a trap, and a panic is answered by the code internal",
		nothing: []string{
			"checkdead", "checkFinalizersAndCleanups", "dumpgstatus", "gcDumpObject", "gcMarkRootCheck", "godebugInc.IncNonDefault", "preprintpanics", "printpanics", "printpanicval",
			"boundsError.Error", "errorString.Error", "TypeAssertionError.Error", "traceback", "traceback1", "tracebackHexdump", "tracebackothers",
		},
		trap: []string{
			"badPointer", "fatal", "fatalpanic", "fatalthrow", "panicwrap", "mspan.reportZombies", "switchToCrashStack", "throw",
		},
	},
	{
		name: "traces", why: "nothing is traced",
		nothing: []string{"traceEnabled", "traceLocker.ok", "traceRelease", "traceShuttingDown", "schedtrace"},
	},
	{
		name: "profiles", why: "nobody reads a profile",
		nothing: []string{
			"blockevent", "callers", "gcallers", "mProf_Free", "mProf_Malloc", "mutexevent", "profilealloc", "saveblockevent",
			"tryRecordGoroutineProfile", "tryRecordGoroutineProfileWB",
		},
	},
	{
		name: "timers", why: "nobody sleeps, and nothing comes in from outside",
		nothing: []string{
			"blockTimerChan", "checkTimersNoP", "netpollAdjustWaiters", "netpollAnyWaiters", "netpollBreak", "netpollinited", "timeSleepUntil", "timer.maybeRunChan", "timers.check", "timers.take", "timers.wakeTime", "unblockTimerChan",
		},
		trap: []string{"netpoll", "netpollGenericInit", "timer.modify", "timer.stop", "timers.adjust", "timers.run"},
	},
	{
		name: "scavenger", why: "WebAssembly can't return memory to the host",
		nothing: []string{
			"pageAlloc.enableChunkHugePages", "pageAlloc.scavenge", "scavengeIndex.alloc", "scavengeIndex.free", "scavengeIndex.nextGen",
			"scavengerState.wake", "scavengerState.ready", "mheap.enableMetadataHugePages", "gcPaceScavenger",
		},
	},
	{
		name: "limiter", why: "it bounds the share of the collector in the time of many threads",
		nothing: []string{
			"gcCPULimiterState.addAssistTime", "gcCPULimiterState.finishGCTransition", "gcCPULimiterState.limiting", "gcCPULimiterState.needUpdate",
			"gcCPULimiterState.resetCapacity", "gcCPULimiterState.startGCTransition", "gcCPULimiterState.update", "limiterEvent.start", "limiterEvent.stop",
		},
	},
	{
		name: "threads", why: "there is one thread, and it makes no system call that blocks",
		trap: []string{
			"asyncPreempt2", "cgocall", "entersyscallblock", "exitsyscall", "goyield_m", "handoffp", "mexit", "newextram", "newm", "oneNewExtraM", "reentersyscall",
			"startlockedm", "startm", "stoplockedm", "entersyscall", "p.destroy",
		},
	},
	{
		name: "finalizers", why: "no object has a finalizer, a cleanup or a pin, and no goroutine is in a bubble of tests",
		nothing: []string{
			"cleanupQueue.flush", "cleanupQueue.needsWake", "cleanupQueue.wake",
		},
		trap: []string{
			"addspecial", "findGoroutineLeaks", "freeSpecial", "mspan.refreshPinnerBits", "mspan.setUserArenaChunkToFault", "queuefinalizer",
			"synctestBubble.changegstatus", "synctestBubble.decActive", "synctestBubble.incActive", "synctestBubble.maybeWakeLocked",
		},
	},
}
