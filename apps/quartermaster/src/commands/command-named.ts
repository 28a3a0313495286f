import type { Command } from 'commander';

/** The command of this name below another: the one that is there, which others have begun, or a new one. */
export function commandNamed(parent: Command, name: string, description: string): Command {
  return parent.commands.find((command) => command.name() === name) ?? parent.command(name).description(description);
}
