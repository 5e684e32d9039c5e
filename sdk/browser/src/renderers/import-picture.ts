/** Loads the renderer of pictures. Bundlers make it a chunk of its own; the served files replace this module by `import-served-picture.ts`. */
export const importPicture = (_url: string) => import('./picture/picture.ts');
