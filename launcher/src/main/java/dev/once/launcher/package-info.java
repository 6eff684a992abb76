/** Makes what {@code ./once} runs, with nothing but a JDK. */
package dev.once.launcher;
