# For a tap: `brew install hookline/tap/hookline`. Each release carries this file with its own VERSION and SHA256.
class Hookline < Formula
  include Language::Python::Virtualenv

  desc "One hooks engine for coding agents"
  homepage "https://github.com/hookline/hookline"
  url "https://files.pythonhosted.org/packages/source/h/hookline/hookline-VERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "libyaml"
  depends_on "python@3.13"

  def install
    virtualenv_install_with_resources
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hookline --version")
    (testpath/".claude/settings.json").write '{"hooks": {"PreToolUse": [{"matcher": "Bash"}]}}'
    assert_match "hooks", shell_output("#{bin}/hookline check 2>&1", 1)
  end
end
