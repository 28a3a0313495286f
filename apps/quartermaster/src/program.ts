import { Command, CommanderError, Help } from 'commander';
import { commandsOf, commandTable } from './command-table.ts';
import type { CommandContext } from './commands/command.ts';
import { version } from './product/product.ts';
import { type Output, processOutput } from './text/output.ts';

const holdMs = 2 ** 30;

/** Runs one command line. Resolves with the exit code; never throws. */
export async function runProgram(args: readonly string[], output: Output = processOutput): Promise<number> {
  let exitCode = 0;
  const exitWith = (code: number): void => {
    exitCode = code;
  };
  // What a command waits for may be a timer or a connection that does not hold a process open, and Node would end in the middle of it.
  const hold = setInterval(() => {}, holdMs);
  try {
    const program = await programFor(args, { output, exitWith });
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // commander has written its own complaints, and asking for help is none.
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
    const { failureText } = await import('./text/failure-line.ts');
    const failure = failureText(thrown);
    output.err.write(failure.text);
    return failure.exitCode;
  } finally {
    clearInterval(hold);
  }
}

/** All commands, of which only the one that these words are for is more than its line in the help. */
async function programFor(args: readonly string[], context: CommandContext): Promise<Command> {
  const { output } = context;
  const terms = new Map<Command, string>(); // command -> its line in the help
  const program = new Command('quartermaster')
    .description('Knows every CPU, GPU, disk and host that a provider owns, promises each once and delivers what was promised.')
    .version(version)
    // A command that takes files and has commands below it must not take their flags for its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => terms.get(command) ?? new Help().subcommandTerm(command) })
    .configureOutput({
      writeOut: (text) => void output.out.write(text),
      writeErr: (text) => void output.err.write(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'quartermaster:')),
    })
    .showHelpAfterError('("quartermaster --help" lists the commands)');
  const wanted = commandsOf(args);
  for (const row of commandTable) {
    const command = program.command(row.usage.replace(' [options]', ''), { hidden: row.isHidden === true }).description(row.summary);
    terms.set(command, row.usage);
    if (!wanted.includes(row)) continue;
    (await row.load()).declare(command, context);
    if (command.commands.length > 0) command.showHelpAfterError(`("quartermaster ${command.name()} --help" says what there is)`);
  }
  return program;
}
