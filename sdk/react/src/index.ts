export { ExperiencePlayer, type ExperiencePlayerProps } from './experience-player.tsx';
export { ExperienceThumbnail, type ThumbnailEntry } from './experience-thumbnail.tsx';
export { type UsedExperience, useExperience } from './use-experience.ts';
