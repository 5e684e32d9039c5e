/** An id from a name: `Café Lisboa` becomes `prj_cafe_lisboa`. */
export function idFrom(prefix: string, name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
  return `${prefix}_${words.slice(0, 48).replace(/_+$/, '') || 'new'}`;
}
