import manifest from '../../package.json' with { type: 'json' };

/** Of this executable. */
export const { version } = manifest;

/** The name of this product's image, without a registry and tag. Simulated nodes know it by this name. */
export const productImage = 'quartermaster';

export const productNamespace = 'quartermaster';
