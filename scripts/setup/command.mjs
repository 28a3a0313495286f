/**
 * Runs a command of the workspace: its result becomes the exit code; an error becomes a message without a stack, since
 * what goes wrong here is for the person at the keyboard to mend.
 *
 * @param {() => Promise<number>} main
 */
export async function runCommand(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
