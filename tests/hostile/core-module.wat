;; A core module with the names of a policy's functions, where a component is needed.
(module
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
  (func (export "openwop:negotiation/policy@2.0.0#configure") (param i32 i32) (result i32)
    (i32.const 512))
  (func (export "openwop:negotiation/policy@2.0.0#judge") (param i32) (result i32)
    (i32.store8 (i32.const 1024) (i32.const 1))
    (i32.const 1024)))
