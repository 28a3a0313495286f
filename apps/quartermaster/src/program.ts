import { Command, CommanderError } from 'commander';
import { addFulfillmentCommands } from './commands/fulfillment.ts';
import { addFulfillmentServiceCommands } from './commands/fulfillment-service.ts';
import { addInventoryCommands } from './commands/inventory.ts';
import { addLoginCommands } from './commands/login.ts';
import { addManifestsCommand } from './commands/manifests.ts';
import { addRemovalsCommand } from './commands/removals.ts';
import { addRoleCommands } from './commands/role.ts';
import { addSimulateCommand } from './commands/simulate.ts';
import { addStatusCommand } from './commands/status.ts';
import { addUpCommand } from './commands/up.ts';
import { addWriteCommands } from './commands/write-objects.ts';
import { roles } from './roles/roles.ts';
import { failureText } from './text/failure-line.ts';
import { type Output, processOutput } from './text/output.ts';
import { version } from './version.ts';

const holdMs = 2 ** 30;

/** Runs one command line. Resolves with the exit code; never throws. */
export async function runProgram(args: readonly string[], output: Output = processOutput): Promise<number> {
  let exitCode = 0;
  const program = new Command('quartermaster')
    .description('Knows every CPU, GPU, disk and host that a provider owns, promises each once and delivers what was promised.')
    .version(version)
    // A command that takes files and has commands below it must not take their flags for its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void output.out.write(text),
      writeErr: (text) => void output.err.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'quartermaster:')),
    });
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  addUpCommand(program, output, exitWith);
  addStatusCommand(program, output, exitWith);
  addInventoryCommands(program, output);
  addLoginCommands(program, output);
  addFulfillmentCommands(program, output);
  addWriteCommands(program, output);
  addRemovalsCommand(program, output);
  addManifestsCommand(program, output);
  addSimulateCommand(program, output);
  addRoleCommands(program, roles, output, exitWith);
  addFulfillmentServiceCommands(program, roles, output);
  program.showHelpAfterError('("quartermaster --help" lists the commands)');
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.showHelpAfterError(`("quartermaster ${group.name()} --help" says what there is)`);
  }
  // What a command waits for may be a timer or a connection that does not hold a process open, and Node would end in the middle of it.
  const hold = setInterval(() => {}, holdMs);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // commander has written its own complaints, and asking for help is none.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    const failure = failureText(thrown);
    output.err.write(failure.text);
    return failure.exitCode;
  } finally {
    clearInterval(hold);
  }
}
