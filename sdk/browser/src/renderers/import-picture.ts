/** Loads the renderer of pictures. In the package it is a separate file; the served files replace this module by `import-served-picture.ts`. */
export const importPicture = (_url: string) => import('./picture/picture.ts');
