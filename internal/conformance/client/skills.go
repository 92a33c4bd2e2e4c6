package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A skill is an entry of skills/list (SEP-2640): what the host is told of the
// files before it reads them.
type skill struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []skillFile    `json:"resources"`
}

type skillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// listSkills lists the skills, and reads nothing of them.
func listSkills(ctx context.Context, in input) error {
	return withSkills(ctx, in, func(*multiclient.MultiServerClient, []skill) error { return nil })
}

// loadSkill reads the files of every skill, the SKILL.md first, and stops at
// the first that is not what the list says it is.
func loadSkill(ctx context.Context, in input) error {
	return withSkills(ctx, in, func(client *multiclient.MultiServerClient, skills []skill) error {
		for _, s := range skills {
			for _, file := range s.Resources {
				text, err := readSkillFile(ctx, client, file)
				if err != nil {
					return err
				}
				if file.URI == s.URI {
					err = s.verifyFrontmatter(text)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func withSkills(ctx context.Context, in input, use func(*multiclient.MultiServerClient, []skill) error) error {
	in.Version = "" // the suite names one, but these servers offer others too
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		var list struct {
			Skills []skill `json:"skills"`
		}
		if err := callExtension(ctx, client, in.URL, "skills/list", &list); err != nil {
			return err
		}
		if len(list.Skills) == 0 {
			return errors.New("no skills are listed")
		}
		return use(client, list.Skills)
	})
}

// readSkillFile returns the text of a file that has the size and the digest
// that were announced.
func readSkillFile(ctx context.Context, client *multiclient.MultiServerClient, file skillFile) (string, error) {
	res, err := client.ReadResource(ctx, server, file.URI)
	if err != nil {
		return "", err
	}
	if len(res.Contents) != 1 {
		return "", fmt.Errorf("%s has %d contents, want 1", file.URI, len(res.Contents))
	}
	text := res.Contents[0].Text
	if len(text) != file.Size {
		return "", fmt.Errorf("%s has %d bytes, %d were announced", file.URI, len(text), file.Size)
	}
	sum := sha256.Sum256([]byte(text))
	if digest := "sha256:" + hex.EncodeToString(sum[:]); digest != file.Digest {
		return "", fmt.Errorf("%s has the digest %s, %s was announced", file.URI, digest, file.Digest)
	}
	return text, nil
}

// verifyFrontmatter compares the YAML at the beginning of a SKILL.md with what
// was announced.
func (s skill) verifyFrontmatter(text string) error {
	text, opened := strings.CutPrefix(text, "---\n")
	front, _, closed := strings.Cut(text, "\n---\n")
	if !opened || !closed {
		return fmt.Errorf("%s has no frontmatter", s.URI)
	}
	var parsed map[string]any
	if err := yaml.Unmarshal([]byte(front), &parsed); err != nil {
		return fmt.Errorf("the frontmatter of %s: %w", s.URI, err)
	}
	// Through JSON, as the announced one came, so that numbers are alike.
	encoded, err := json.Marshal(parsed)
	if err != nil {
		return fmt.Errorf("the frontmatter of %s: %w", s.URI, err)
	}
	var actual map[string]any
	if err := json.Unmarshal(encoded, &actual); err != nil {
		return err
	}
	if !reflect.DeepEqual(actual, s.Frontmatter) {
		return fmt.Errorf("the frontmatter of %s is %v, %v was announced", s.URI, actual, s.Frontmatter)
	}
	return nil
}
