# SPDX-License-Identifier: Apache-2.0
# events: what lenses see, which there are, and exit codes.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo
lenses=$SL_SOURCE_DIR/fixtures/guest/machine/lenses.ini
[ -d "$demo" ] || skip "no $demo"

# 40 measurements, and each sends one message, as do 40 commands to the logger (fixtures/README.md).
run events "$demo" mqueue --format csv --table events
expect_rc 0
expect_err
expect_out_has 'mqueue,mq_send,demo.elf,,80,0,0,'
run events "$demo" measure --lenses "$lenses" --format json
expect_rc 0
expect_out_has '"event":"measure","module":"demo.elf","group":null,"count":40,"missing_entry":0,"missing_exit":0'
run events "$demo" irq --lenses "$lenses"
expect_rc 0
expect_out_has 'irq   timer_tick  demo.elf    322'
run events "$demo" syscall --by cpu
expect_rc 0
expect_out_has 'lane 1'
run events "$demo" task --lenses "$lenses" --table requesters
expect_rc 0
expect_out_has 'task_wake'

run events "$demo" mqueue --cpu 1 --format csv --table events
expect_rc 0
expect_out_has 'mqueue,mq_send,demo.elf,,40,0,0,'
run events "$demo" mqueue --root control_step
expect_rc 0
expect_err_has "no event"
run events "$demo" mqueue --cpu many
expect_rc 2

run events "$demo" softirq
expect_rc 0
expect_err_has "no event"
expect_err_has "--lenses FILE"
run events "$demo" nothing
expect_rc 2
expect_err_has "there is no lens 'nothing': there are irq, softirq, syscall"
run events "$demo" --lenses "$tmp/none.ini"
expect_rc 2
expect_err_has "none.ini"
echo '[a]' > "$tmp/a.ini"
run events "$demo" --lenses "$tmp/a.ini"
expect_rc 2
expect_err_has "a.ini:1: [a]: expected a dispatcher"
run events "$demo" irq more
expect_rc 2
run events "$demo" --sort nothing
expect_rc 2
