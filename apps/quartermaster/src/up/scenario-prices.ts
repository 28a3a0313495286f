/**
 * What the provider of a scenario asks for and gives, so that its tenants get bids, and their services names. Whatever anybody has set counts more; a cluster that is not simulated has no price until somebody
 * has set one.
 */
export const scenarioPrices: readonly string[] = [
  ...['--bid-price-cpu-scale', '0.04'],
  ...['--bid-price-memory-scale', '0.01'],
  ...['--bid-price-storage-scale', 'ephemeral=0.0005,ram=0.01,beta3=0.002,default=0.001'],
  ...['--bid-price-gpu-scale', 'nvidia/h200=6000,nvidia/h100=4500,nvidia/a100=2500,nvidia/t4=400,*=800'],
  ...['--bid-price-endpoint-scale', '1'],
  ...['--bid-price-ip-scale', '100'],
  ...['--deployment-ingress-domain', 'farm.example', '--deployment-ingress-static-hosts', 'true'],
  ...['--cluster-public-hostname', 'provider.farm.example'],
];
