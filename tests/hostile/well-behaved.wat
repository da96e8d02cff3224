;; Does as it should: grants the best candidate. For comparison: what differs in the other files is
;; what is wrong with them.
(component
  (core module $m
    (memory (export "memory") 2)
    (global $next (mut i32) (i32.const 4096))
    (func (export "realloc") (param $old i32) (param $old-size i32) (param $align i32) (param $size i32)
      (result i32)
      (local $at i32)
      (local.set $at (i32.and
        (i32.add (global.get $next) (i32.sub (local.get $align) (i32.const 1)))
        (i32.sub (i32.const 0) (local.get $align))))
      (global.set $next (i32.add (local.get $at) (local.get $size)))
      (local.get $at))
    ;; Memory that was never written is an answer: ok.
    (func (export "configure") (param i32 i32) (result i32) (i32.const 512))
    (func (export "judge") (param i32) (result i32)
      ;; Grants the first candidate: the list of candidates stands at byte 12 of a proposal.
      (i32.store8 (i32.const 1024) (i32.const 0))
      (i32.store (i32.const 1028) (i32.load (i32.load offset=12 (local.get 0))))
      (i32.store (i32.const 1032) (i32.load offset=4 (i32.load offset=12 (local.get 0))))
      (i32.const 1024))
    (func (export "begin-again") (param i32)
      (global.set $next (i32.const 4096))))
  (core instance $i (instantiate $m))
  (alias core export $i "memory" (core memory $memory))
  (alias core export $i "realloc" (core func $realloc))

  ;; The rest is the shape of `openwop:negotiation/policy@2.0.0`, the same in all of these files.
  (type $protocol (enum "a2a" "mcp"))
  (type $direction (enum "inbound" "outbound"))
  (type $proposal (record
    (field "protocol" $protocol) (field "direction" $direction) (field "authenticated" bool)
    (field "asked" string) (field "candidates" (list string))
    (field "preferred" string) (field "floor" string)
    (field "tenant" (option string)) (field "workspace" (option string))
    (field "peer-digest" (option string)) (field "at" (option string))))
  (type $verdict (variant (case "grant" string) (case "deny")))
  (func $configure (param "settings" string) (result (result (error string)))
    (canon lift (core func $i "configure") (memory $memory) (realloc $realloc)))
  (func $judge (param "proposal" $proposal) (result $verdict)
    (canon lift (core func $i "judge") (memory $memory) (realloc $realloc)
      (post-return (func $i "begin-again"))))
  (component $shape
    (type $protocol-is (enum "a2a" "mcp"))
    (import "protocol" (type $protocol (eq $protocol-is)))
    (type $direction-is (enum "inbound" "outbound"))
    (import "direction" (type $direction (eq $direction-is)))
    (type $proposal-is (record
      (field "protocol" $protocol) (field "direction" $direction) (field "authenticated" bool)
      (field "asked" string) (field "candidates" (list string))
      (field "preferred" string) (field "floor" string)
      (field "tenant" (option string)) (field "workspace" (option string))
      (field "peer-digest" (option string)) (field "at" (option string))))
    (import "proposal" (type $proposal (eq $proposal-is)))
    (type $verdict-is (variant (case "grant" string) (case "deny")))
    (import "verdict" (type $verdict (eq $verdict-is)))
    (import "configure"
      (func $configure (param "settings" string) (result (result (error string)))))
    (import "judge" (func $judge (param "proposal" $proposal) (result $verdict)))
    (export $protocol-out "protocol" (type $protocol))
    (export $direction-out "direction" (type $direction))
    (type $proposal-out-is (record
      (field "protocol" $protocol-out) (field "direction" $direction-out)
      (field "authenticated" bool)
      (field "asked" string) (field "candidates" (list string))
      (field "preferred" string) (field "floor" string)
      (field "tenant" (option string)) (field "workspace" (option string))
      (field "peer-digest" (option string)) (field "at" (option string))))
    (export $proposal-out "proposal" (type $proposal) (type (eq $proposal-out-is)))
    (export $verdict-out "verdict" (type $verdict))
    (export "configure" (func $configure))
    (export "judge" (func $judge)
      (func (param "proposal" $proposal-out) (result $verdict-out))))
  (instance $policy (instantiate $shape
    (with "protocol" (type $protocol)) (with "direction" (type $direction))
    (with "proposal" (type $proposal)) (with "verdict" (type $verdict))
    (with "configure" (func $configure)) (with "judge" (func $judge))))
  (export "openwop:negotiation/policy@2.0.0" (instance $policy)))
