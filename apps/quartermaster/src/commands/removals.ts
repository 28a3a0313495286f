import type { Command } from 'commander';
import type { ApproveFlags, ListFlags } from '../removals/run-removals.ts';
import type { Output } from '../text/output.ts';
import { resolved, withServerOptions } from './inventory-options.ts';

/** `removals`: what an operator does not remove without a person, and the person's word. */
export function addRemovalsCommand(program: Command, output: Output): void {
  const removals = program.command('removals').description('Removals that wait for a person, because they are too many at once.');
  removals.enablePositionalOptions();
  withServerOptions(removals)
    .option('--json', 'for programs', false)
    .action(async (flags: ListFlags) => {
      const { listRemovals } = await import('../removals/run-removals.ts');
      await listRemovals(resolved(flags, output), output);
    });
  withServerOptions(removals.command('approve <id>').description('Let the objects of one go, exactly as they were listed.'))
    .option('-y, --yes', 'do not ask', false)
    .action(async (id: string, flags: ApproveFlags) => {
      const { approveRemoval } = await import('../removals/run-removals.ts');
      await approveRemoval(id, resolved(flags, output), output);
    });
}
