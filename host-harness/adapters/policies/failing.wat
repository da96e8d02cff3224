;; A policy that takes any settings and fails at its first judgement. Tests of the adapters put
;; another body in place of `unreachable` for a policy that never ends.
(component
  (core module $m
    (memory (export "memory") 1)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "configure") (param i32 i32) (result i32)
      (i32.store (i32.const 16) (i32.const 0)) (i32.const 16))
    (func (export "judge") (param i32) (result i32) unreachable))
  (core instance $i (instantiate $m))

  (type $protocol (enum "a2a" "mcp"))
  (type $direction (enum "inbound" "outbound"))
  (type $proposal (record
    (field "protocol" $protocol) (field "direction" $direction) (field "authenticated" bool)
    (field "asked" string) (field "candidates" (list string)) (field "preferred" string)
    (field "floor" string) (field "tenant" (option string)) (field "workspace" (option string))
    (field "peer-digest" (option string)) (field "at" (option string))))
  (type $verdict (variant (case "grant" string) (case "deny")))
  (func $configure (param "settings" string) (result (result (error string)))
    (canon lift (core func $i "configure")
      (memory $i "memory") (realloc (func $i "realloc"))))
  (func $judge (param "proposal" $proposal) (result $verdict)
    (canon lift (core func $i "judge") (memory $i "memory") (realloc (func $i "realloc"))))

  ;; Gives the types their names, as an exported interface must.
  (component $named
    (type $protocol' (enum "a2a" "mcp"))
    (import "in-protocol" (type $protocol (eq $protocol')))
    (type $direction' (enum "inbound" "outbound"))
    (import "in-direction" (type $direction (eq $direction')))
    (type $proposal' (record
      (field "protocol" $protocol) (field "direction" $direction) (field "authenticated" bool)
      (field "asked" string) (field "candidates" (list string)) (field "preferred" string)
      (field "floor" string) (field "tenant" (option string)) (field "workspace" (option string))
      (field "peer-digest" (option string)) (field "at" (option string))))
    (import "in-proposal" (type $proposal (eq $proposal')))
    (type $verdict' (variant (case "grant" string) (case "deny")))
    (import "in-verdict" (type $verdict (eq $verdict')))
    (import "in-configure"
      (func $configure (param "settings" string) (result (result (error string)))))
    (import "in-judge" (func $judge (param "proposal" $proposal) (result $verdict)))
    (export $out-protocol "protocol" (type $protocol))
    (export $out-direction "direction" (type $direction))
    (type $out-proposal' (record
      (field "protocol" $out-protocol) (field "direction" $out-direction)
      (field "authenticated" bool)
      (field "asked" string) (field "candidates" (list string)) (field "preferred" string)
      (field "floor" string) (field "tenant" (option string)) (field "workspace" (option string))
      (field "peer-digest" (option string)) (field "at" (option string))))
    (export $out-proposal "proposal" (type $out-proposal'))
    (type $out-verdict' (variant (case "grant" string) (case "deny")))
    (export $out-verdict "verdict" (type $out-verdict'))
    (export "configure" (func $configure)
      (func (param "settings" string) (result (result (error string)))))
    (export "judge" (func $judge)
      (func (param "proposal" $out-proposal) (result $out-verdict))))
  (instance $policy (instantiate $named
    (with "in-protocol" (type $protocol))
    (with "in-direction" (type $direction))
    (with "in-proposal" (type $proposal))
    (with "in-verdict" (type $verdict))
    (with "in-configure" (func $configure))
    (with "in-judge" (func $judge))))
  (export "openwop:negotiation/policy@2.0.0" (instance $policy)))
