import { describe, expect, it } from 'vitest';
import { describeKubectl } from './kubectl.ts';
import { kubectlFixture } from './kubectl-fixture.ts';
import { startSimulatedServer } from './simulated-server.ts';
import { withServer } from './with-server.ts';

const server = withServer(startSimulatedServer);
describeKubectl(server);

describe('kubectl on the simulator', () => {
  const { run } = kubectlFixture(server);

  it('create without a file is refused, since it is sent as protobuf', async () => {
    const { exitCode, stderr } = await run(['create', 'namespace', 'made']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('accepted media types include: application/json, application/yaml')]);
  });
});
