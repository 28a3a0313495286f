import type { Role } from '@quartermaster/service';
import type { Command } from 'commander';
import { processConfig } from '../../roles/role-config.ts';
import { roles } from '../../roles/roles.ts';
import type { CommandContext } from '../command.ts';
import { settingsText } from './settings-text.ts';

/**
 * The role that a command is named after, or a command below it for each role of its family: `operator inventory`. Their flags are the settings
 * of the role, which its own definition checks and explains.
 */
export function declare(command: Command, context: CommandContext, known: readonly Role[] = roles): void {
  const family = `${command.name()}-`;
  for (const role of known) {
    if (role.name === command.name()) declareRole(command, role, known, context);
    if (role.name.startsWith(family)) {
      declareRole(command.command(role.name.slice(family.length)).description(role.summary), role, known, context);
    }
  }
}

function declareRole(command: Command, role: Role, known: readonly Role[], { output, exitWith }: CommandContext): void {
  const isDiscovery = role.name === 'discovery';
  command
    .usage(isDiscovery ? '--once [--json] | [--KEY VALUE ...]' : '[--KEY VALUE ...]')
    .addHelpText('after', () => settingsText(role.config, processConfig))
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_flags: unknown, { args }: Command) => {
      if (isDiscovery && args.includes('--once')) {
        const { runDiscoveryOnce } = await import('./discovery-once.ts');
        exitWith(await runDiscoveryOnce(args, output));
        return;
      }
      const { runRole } = await import('../../roles/run-role.ts');
      exitWith(await runRole({ role, known, args, environment: process.env }, output));
    });
}
