export interface SampleGroup {
  readonly cpu?: string | undefined;
  readonly image?: string | undefined;
  /** At most so much. */
  readonly price?: string | undefined;
}

/** An SDL with these groups: `place-1` and so on, each with one service. */
export function sampleSdl(...groups: readonly SampleGroup[]): string {
  const all = (groups.length === 0 ? [{}] : groups).map((group, index) => ({
    cpu: '0.5',
    image: 'nginx',
    price: '100',
    ...group,
    number: index + 1,
  }));
  const each = (textOf: (group: (typeof all)[number]) => string): string => all.map(textOf).join('');
  return `version: "2.0"
services:${each(
    ({ number, image }) => `
  web-${number}:
    image: ${image}
    expose:
      - port: 80
        to:
          - global: true`,
  )}
profiles:
  compute:${each(
    ({ number, cpu }) => `
    small-${number}:
      resources:
        cpu:
          units: ${cpu}
        memory:
          size: 1Gi
        storage:
          size: 1Gi`,
  )}
  placement:${each(
    ({ number, price }) => `
    place-${number}:
      pricing:
        small-${number}:
          denom: uakt
          amount: ${price}`,
  )}
deployment:${each(
    ({ number }) => `
  web-${number}:
    place-${number}:
      profile: small-${number}
      count: 1`,
  )}
`;
}
