;; The functions of wasi_snapshot_preview1 that Go's runtime imports, to be linked into the module in their stead. Nothing
;; comes in from outside: time moves by a microsecond at each look and by the whole timeout when the runtime waits (a clock
;; that stands still would hang its scheduler), random bytes are those of splitmix64 from a fixed seed, and what is printed is
;; dropped. No answer of the module depends on any of it.
(module
  (import "go" "memory" (memory 0))
  (global $now (mut i64) (i64.const 1700000000000000000))  ;; nanoseconds
  (global $seed (mut i64) (i64.const 0x9E3779B97F4A7C15))

  ;; Not of WASI: the size of the memory in pages of 64 KiB, which Go has no instruction for.
  (func (export "memory_size") (result i32) (memory.size))

  (func (export "sched_yield") (result i32) (i32.const 0))
  (func (export "proc_exit") (param i32) (unreachable))
  (func (export "args_get") (param i32 i32) (result i32) (i32.const 0))
  (func (export "environ_get") (param i32 i32) (result i32) (i32.const 0))
  (func $nothing (export "args_sizes_get") (export "environ_sizes_get") (param $count i32) (param $size i32) (result i32)
    (i32.store (local.get $count) (i32.const 0))
    (i32.store (local.get $size) (i32.const 0))
    (i32.const 0))

  (func (export "clock_time_get") (param $clock i32) (param $precision i64) (param $out i32) (result i32)
    (global.set $now (i64.add (global.get $now) (i64.const 1000)))
    (i64.store (local.get $out) (global.get $now))
    (i32.const 0))

  (func (export "random_get") (param $at i32) (param $size i32) (result i32) (local $z i64)
    (block $done
      (loop $more
        (br_if $done (i32.eqz (local.get $size)))
        (global.set $seed (i64.add (global.get $seed) (i64.const 0x9E3779B97F4A7C15)))
        (local.set $z (global.get $seed))
        (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30))) (i64.const 0xBF58476D1CE4E5B9)))
        (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27))) (i64.const 0x94D049BB133111EB)))
        (i32.store8 (local.get $at) (i32.wrap_i64 (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $size (i32.sub (local.get $size) (i32.const 1)))
        (br $more)))
    (i32.const 0))

  ;; fd_write counts the bytes of all pieces as written.
  (func (export "fd_write") (param $fd i32) (param $pieces i32) (param $count i32) (param $out i32) (result i32) (local $sum i32)
    (block $done
      (loop $more
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $sum (i32.add (local.get $sum) (i32.load offset=4 (local.get $pieces))))
        (local.set $pieces (i32.add (local.get $pieces) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $more)))
    (i32.store (local.get $out) (local.get $sum))
    (i32.const 0))

  ;; Descriptors 0 to 2 are character devices, all others bad (errno 8).
  (func (export "fd_fdstat_get") (param $fd i32) (param $out i32) (result i32)
    (memory.fill (local.get $out) (i32.const 0) (i32.const 24))
    (i32.store8 (local.get $out) (i32.const 2))
    (select (i32.const 0) (i32.const 8) (i32.lt_u (local.get $fd) (i32.const 3))))
  (func (export "fd_fdstat_set_flags") (param i32 i32) (result i32) (i32.const 0))
  (func (export "fd_close") (param i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_get") (param i32 i32) (result i32) (i32.const 8))
  (func (export "fd_prestat_dir_name") (param i32 i32 i32) (result i32) (i32.const 8))

  ;; poll_oneoff: the first subscription is a clock; its timeout is over at once.
  (func (export "poll_oneoff") (param $in i32) (param $out i32) (param $n i32) (param $happened i32) (result i32) (local $timeout i64)
    (local.set $timeout (i64.load offset=24 (local.get $in)))
    (if (i32.and (i32.load16_u offset=40 (local.get $in)) (i32.const 1))  ;; absolute
      (then
        (if (i64.gt_u (local.get $timeout) (global.get $now))
          (then (global.set $now (local.get $timeout)))))
      (else (global.set $now (i64.add (global.get $now) (local.get $timeout)))))
    (memory.fill (local.get $out) (i32.const 0) (i32.const 32))
    (i64.store (local.get $out) (i64.load (local.get $in)))
    (i32.store (local.get $happened) (i32.const 1))
    (i32.const 0)))
