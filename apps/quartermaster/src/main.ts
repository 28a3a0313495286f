#!/usr/bin/env node
/** The executable. Looks at its Node before anything else is loaded, since everything else needs that Node to load. */
const neededMajor = 24;

if (Number.parseInt(process.versions.node, 10) < neededMajor) {
  process.stderr.write(
    `quartermaster: Node ${neededMajor} or later is needed and this is Node ${process.versions.node}: in a checkout use \`npm start\` or \`npx quartermaster\`, which bring their own\n`,
  );
  process.exitCode = 1;
} else {
  const { keepCompiledCode } = await import('./compiled-code.ts');
  keepCompiledCode();
  // Who runs a command can do nothing about what the libraries behind it should call differently.
  process.noDeprecation = true;
  const { mayLoseReader } = await import('./text/closed-pipe.ts');
  mayLoseReader(process.stdout);
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv.slice(2));
}
