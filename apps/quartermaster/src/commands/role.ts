import type { Role } from '@quartermaster/service';
import type { Command } from 'commander';
import type { Output } from '../text/output.ts';

/** A command for each role. Its flags are the role's settings, which the role's own definition checks and explains. */
export function addRoleCommands(program: Command, roles: readonly Role[], output: Output, exitWith: (code: number) => void): void {
  for (const role of roles) {
    program
      .command(role.name)
      .description(role.summary)
      .usage('[--KEY VALUE ...]')
      .allowUnknownOption()
      .allowExcessArguments()
      .action(async (_flags: unknown, command: Command) => {
        const { runRole } = await import('../roles/run-role.ts');
        exitWith(await runRole({ role, known: roles, args: command.args, environment: process.env }, output));
      });
  }
}
