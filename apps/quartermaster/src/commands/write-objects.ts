import { type Command, Option } from 'commander';
import type { ApplyFlags } from '../fulfillment/run-apply.ts';
import type { ClaimFlags, ReleaseFlags } from '../fulfillment/run-assign.ts';
import type { CreateClusterFlags, CreateHostClassFlags, CreateHostFlags, CreateHubFlags } from '../fulfillment/run-create.ts';
import type { Output } from '../text/output.ts';
import { apiFlags, countOf, dryRunOption, repeatedOption, withApiOptions, writtenOption } from './api-options.ts';

/** `create` and `apply`: objects from files and from flags; `claim` and `release`: hosts for clusters. */
export function addWriteCommands(program: Command, output: Output): void {
  const create = program.command('create').description('Make objects: from files, or the common ones from flags.');
  // Else what is said of an object would be taken as said of files.
  create.enablePositionalOptions();
  withFileOptions(create).action(async (flags: ApplyFlags) => {
    const { runCreateFiles } = await import('../fulfillment/run-apply.ts');
    await runCreateFiles(apiFlags(flags, output), output);
  });
  addCreateKinds(create, output);
  withFileOptions(program.command('apply').description('Make objects what files say, and leave alone what they do not say.')).action(
    async (flags: ApplyFlags) => {
      const { runApply } = await import('../fulfillment/run-apply.ts');
      await runApply(apiFlags(flags, output), output);
    },
  );
  addAssignCommands(program, output);
}

function addAssignCommands(program: Command, output: Output): void {
  withApiOptions(program.command('claim <cluster> <node-set>').description('Give a node set of a cluster the free hosts that it lacks.'))
    .addOption(new Option('--count <count>', 'so many in all (default: its size)').argParser(countOf))
    .option('--all-or-nothing', 'none, when there are too few', false)
    .addOption(dryRunOption())
    .action(async (cluster: string, nodeSet: string, flags: ClaimFlags) => {
      const { claimHosts } = await import('../fulfillment/run-assign.ts');
      await claimHosts(cluster, nodeSet, apiFlags(flags, output), output);
    });
  withApiOptions(program.command('release <cluster> [node-set]').description('Take hosts from a cluster: all, or those of a node set.'))
    .addOption(repeatedOption('--host <name>', 'only this one'))
    .addOption(dryRunOption())
    .action(async (cluster: string, nodeSet: string | undefined, flags: ReleaseFlags) => {
      const { releaseHosts } = await import('../fulfillment/run-assign.ts');
      await releaseHosts(cluster, nodeSet, apiFlags(flags, output), output);
    });
}

function withFileOptions(command: Command): Command {
  const file = 'YAML or JSON with one or more objects, a folder of such files, or - for standard input';
  return withApiOptions(command)
    .addOption(repeatedOption('-f, --filename <file>', file))
    .option('--with-status', 'also write what controllers report', false)
    .addOption(dryRunOption())
    .addOption(writtenOption());
}

function addCreateKinds(create: Command, output: Output): void {
  const kind = (name: string, description: string): Command =>
    withApiOptions(create.command(`${name} <name>`).description(description))
      .option('--id <id>', 'its id (default: the service gives it one)')
      .addOption(repeatedOption('--label <key=value>', 'a label'))
      .addOption(repeatedOption('--tenant <name>', 'whose it is (default: yours)'))
      .addOption(dryRunOption())
      .addOption(writtenOption());
  kind('host-class', 'A kind of machine.')
    .option('--title <text>', 'for people')
    .option('--description <text>', 'for people')
    .action(async (name: string, flags: CreateHostClassFlags) => {
      const { createHostClass } = await import('../fulfillment/run-create.ts');
      await createHostClass(name, apiFlags(flags, output), output);
    });
  kind('host', 'A machine.')
    .option('--class <name>', 'its host class')
    .option('--rack <name>', 'where it stands')
    .option('--title <text>', 'for people')
    .option('--boot-mac <mac>', 'of the interface that it boots from')
    .option('--boot-ip <address>', 'that it gets there')
    .option('--bmc-url <url>', 'of its management controller')
    .option('--bmc-user <name>', 'there')
    .option('--bmc-password-file <file>', 'with the password there')
    .action(async (name: string, flags: CreateHostFlags) => {
      const { createHost } = await import('../fulfillment/run-create.ts');
      await createHost(name, apiFlags(flags, output), output);
    });
  kind('hub', 'A Kubernetes cluster that clusters are made from.')
    .requiredOption('--kubeconfig <file>', 'that opens it')
    .requiredOption('--namespace <name>', 'where clusters are made in it')
    .option('--pull-secret <file>', 'for images')
    .option('--ssh-public-key <file>', 'that opens the nodes')
    .option('--ip <address>', 'at which its clusters are reached')
    .action(async (name: string, flags: CreateHubFlags) => {
      const { createHub } = await import('../fulfillment/run-create.ts');
      await createHub(name, apiFlags(flags, output), output);
    });
  kind('cluster', 'A cluster of a template.')
    .requiredOption('--template <name>', 'what it is made from')
    .addOption(repeatedOption('--node-set <name=size[:class]>', 'how many hosts it gets, such as workers=3'))
    .addOption(repeatedOption('--parameter <name=value>', 'of the template'))
    .action(async (name: string, flags: CreateClusterFlags) => {
      const { createCluster } = await import('../fulfillment/run-create.ts');
      await createCluster(name, apiFlags(flags, output), output);
    });
}
