import type { Role } from '@quartermaster/service';
import type { Command } from 'commander';
import { processConfig } from '../roles/process-config.ts';
import type { Output } from '../text/output.ts';
import { settingsText } from './settings-text.ts';

/** Kinds of roles that are commands with the roles below them: `operator inventory`. */
const families: ReadonlyMap<string, string> = new Map([
  ['operator', 'Runs an operator: something that watches Kubernetes and acts on it.'],
  ['service', 'Runs a service: an API over a database or a cluster.'],
]);

/** A command for each role. Its flags are the role's settings, which the role's own definition checks and explains. */
export function addRoleCommands(program: Command, roles: readonly Role[], output: Output, exitWith: (code: number) => void): void {
  for (const role of roles) {
    const { parent, name } = placeOf(program, role.name);
    const command = parent
      .command(name)
      .description(role.summary)
      .usage('[--KEY VALUE ...]')
      .addHelpText('after', () => settingsText(role.config, processConfig))
      .allowUnknownOption()
      .allowExcessArguments()
      .action(async (_flags: unknown, { args }: Command) => {
        if (role.name === 'discovery' && args.includes('--once')) {
          const { runDiscoveryOnce } = await import('./discovery-once.ts');
          exitWith(await runDiscoveryOnce(args, output));
          return;
        }
        const { runRole } = await import('../roles/run-role.ts');
        exitWith(await runRole({ role, known: roles, args, environment: process.env }, output));
      });
    if (role.name === 'discovery') command.usage('--once [--json] | [--KEY VALUE ...]');
  }
}

function placeOf(program: Command, name: string): { readonly parent: Command; readonly name: string } {
  const dash = name.indexOf('-');
  const family = name.slice(0, Math.max(dash, 0));
  const description = families.get(family);
  if (description === undefined) return { parent: program, name };
  const known = program.commands.find((command) => command.name() === family);
  return { parent: known ?? program.command(family).description(description), name: name.slice(dash + 1) };
}
